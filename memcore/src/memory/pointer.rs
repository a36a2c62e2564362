//! Addresses with an element type.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

use bytemuck::{Pod, Zeroable};

const _: () = assert!(size_of::<usize>() == size_of::<u64>(), "CUDA has 64-bit addresses, and so must the host");

/// Writes a pointer type: an address that is an integer to Rust, with the arithmetic of `*mut T`.
macro_rules! pointer {
    ($(#[$doc:meta])* $pointer:ident) => {
        $(#[$doc])*
        #[repr(transparent)]
        pub struct $pointer<T> {
            address: u64,
            marker: PhantomData<fn() -> T>,
        }

        impl<T> $pointer<T> {
            /// The pointer to an address (a `CUdeviceptr`).
            #[must_use]
            pub const fn from_raw(address: u64) -> Self {
                Self { address, marker: PhantomData }
            }

            /// The address (a `CUdeviceptr`).
            #[must_use]
            pub const fn as_raw(self) -> u64 {
                self.address
            }

            /// The pointer to address 0, which no memory has.
            #[must_use]
            pub const fn null() -> Self {
                Self::from_raw(0)
            }

            /// Whether the address is 0.
            #[must_use]
            pub const fn is_null(self) -> bool {
                self.address == 0
            }

            /// The pointer `count` elements further, or back where negative. Wraps at the ends of the address space;
            /// whether there is memory matters only where the pointer is used.
            #[must_use]
            pub const fn offset(self, count: isize) -> Self {
                // Wrapping, two's complement: the sign needs no case of its own.
                self.add(count.cast_unsigned())
            }

            /// The pointer `count` elements further; wraps as [`offset`](Self::offset) does.
            #[must_use]
            #[allow(clippy::should_implement_trait, reason = "named as on raw pointers: the unit is an element")]
            pub const fn add(self, count: usize) -> Self {
                Self::from_raw(self.address.wrapping_add((count as u64).wrapping_mul(size_of::<T>() as u64)))
            }

            /// The pointer `count` elements back; wraps as [`offset`](Self::offset) does.
            #[must_use]
            #[allow(clippy::should_implement_trait, reason = "named as on raw pointers: the unit is an element")]
            pub const fn sub(self, count: usize) -> Self {
                Self::from_raw(self.address.wrapping_sub((count as u64).wrapping_mul(size_of::<T>() as u64)))
            }

            /// The same address, as one of a `U`.
            #[must_use]
            pub const fn cast<U>(self) -> $pointer<U> {
                $pointer::from_raw(self.address)
            }
        }

        // SAFETY: one integer, of which 0 is a value.
        unsafe impl<T: 'static> Zeroable for $pointer<T> {}
        // SAFETY: `repr(transparent)` over a `u64` and a zero-sized, always-initialised marker: no padding, every bit
        // pattern valid.
        unsafe impl<T: 'static> Pod for $pointer<T> {}

        // By hand: deriving would ask the same of `T`.
        impl<T> Clone for $pointer<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $pointer<T> {}

        impl<T> PartialEq for $pointer<T> {
            fn eq(&self, other: &Self) -> bool {
                self.address == other.address
            }
        }

        impl<T> Eq for $pointer<T> {}

        impl<T> PartialOrd for $pointer<T> {
            fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl<T> Ord for $pointer<T> {
            fn cmp(&self, other: &Self) -> core::cmp::Ordering {
                self.address.cmp(&other.address)
            }
        }

        impl<T> Hash for $pointer<T> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.address.hash(state);
            }
        }

        impl<T> fmt::Debug for $pointer<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.address)
            }
        }

        impl<T> fmt::Pointer for $pointer<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:#x}", self.address)
            }
        }
    };
}

pointer! {
    /// The address of a `T` in device memory.
    ///
    /// It has the size, alignment and representation of `*mut T`, so a C function or kernel that takes a `T *` takes
    /// it. It is an integer to Rust, which cannot dereference it, and plain device data itself: structs on the device
    /// may hold it. Like a raw pointer it keeps nothing alive.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![1.0f32, 2.0, 3.0]?;
    /// let third: DevicePointer<f32> = dev.as_device_ptr().add(2);
    /// assert_eq!(third.as_raw(), dev.as_device_ptr().as_raw() + 8);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    DevicePointer
}

pointer! {
    /// The address of a `T` in unified memory, the same for host and device.
    ///
    /// It has the size, alignment and representation of `*mut T`, so a C function or kernel that takes a `T *` takes
    /// it. Like a raw pointer it keeps nothing alive; the host reaches the memory through
    /// [`as_mut_ptr`](Self::as_mut_ptr).
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let unified = unified_vec![1u32, 2, 3]?;
    /// let second: UnifiedPointer<u32> = unified.as_unified_ptr().add(1);
    /// // SAFETY: it points into `unified`, which is alive and which nothing writes.
    /// assert_eq!(unsafe { *second.as_ptr() }, 2);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    UnifiedPointer
}

impl<T> UnifiedPointer<T> {
    /// The pointer to memory that the host has the address of.
    #[must_use]
    pub fn from_mut_ptr(pointer: *mut T) -> Self {
        Self::from_raw(pointer.expose_provenance() as u64)
    }

    /// The host's pointer.
    #[must_use]
    pub fn as_ptr(self) -> *const T {
        self.as_mut_ptr()
    }

    /// The host's pointer, to be written.
    #[must_use]
    pub fn as_mut_ptr(self) -> *mut T {
        core::ptr::with_exposed_provenance_mut(self.as_raw() as usize)
    }

    /// The device's pointer: the same address.
    #[must_use]
    pub const fn as_device_ptr(self) -> DevicePointer<T> {
        DevicePointer::from_raw(self.as_raw())
    }
}
