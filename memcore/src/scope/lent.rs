//! Memory lent to a scope.

use core::fmt;
use core::iter::FusedIterator;
use core::marker::PhantomData;
use core::ops::{Index, IndexMut, Range};
use core::ptr;

use super::Brand;
use crate::memory::{DeviceIndex, DevicePointer, DeviceSlice};

/// Memory that is lent to one scope: used by operations of that scope, and by nothing else until it ends.
///
/// It is handed out as `&'scope Lent` or `&'scope mut Lent`, and sliced, split and reborrowed as any slice is. `M` says
/// what it is: a [`DeviceSlice`] (device and unified memory), or a [`HostSlice`]. Another stream
/// [takes it over](crate::Scope::take_over).
// INVARIANT of a reference to it: `len` elements at `address`, of the kind that `M` says, to be used by operations on
// the stream of the scope `'scope` alone, shared or exclusively as the reference is, until that scope ends. For the
// host it has no elements.
#[repr(transparent)]
pub struct Lent<'scope, M: ?Sized> {
    scope: Brand<'scope>,
    memory: M,
}

/// Host memory as an operand of the device: Rust can read nothing through a reference to it.
#[allow(missing_debug_implementations, reason = "seen inside `Lent` alone")]
#[repr(transparent)]
pub struct HostSlice<T> {
    elements: [PhantomData<T>],
}

/// What can be lent: [`DeviceSlice`] and [`HostSlice`].
///
/// # Safety
///
/// Sealed.
pub unsafe trait LentMemory {
    /// The element type.
    type Element;

    /// The number of elements.
    #[doc(hidden)]
    fn __len(&self) -> usize;

    /// The first one's address.
    #[doc(hidden)]
    fn __address(&self) -> u64;

    /// The same kind of memory elsewhere.
    #[doc(hidden)]
    fn __at(address: u64, len: usize) -> *mut Self;
}

// SAFETY: the address and length are the slice's own.
unsafe impl<T> LentMemory for DeviceSlice<T> {
    type Element = T;

    fn __len(&self) -> usize {
        self.len()
    }

    fn __address(&self) -> u64 {
        self.address()
    }

    fn __at(address: u64, len: usize) -> *mut Self {
        ptr::slice_from_raw_parts_mut(pointer_to::<T>(address, len), len) as *mut Self
    }
}

// SAFETY: the address and length are the slice's own.
unsafe impl<T> LentMemory for HostSlice<T> {
    type Element = T;

    fn __len(&self) -> usize {
        self.elements.len()
    }

    fn __address(&self) -> u64 {
        self.elements.as_ptr().addr() as u64
    }

    fn __at(address: u64, len: usize) -> *mut Self {
        ptr::slice_from_raw_parts_mut(pointer_to::<T>(address, len), len) as *mut Self
    }
}

/// The address as a pointer to elements without size, which is never null.
fn pointer_to<T>(address: u64, len: usize) -> *mut PhantomData<T> {
    let address = if len == 0 || address == 0 { align_of::<T>() } else { address as usize };
    ptr::without_provenance_mut(address)
}

impl<M: LentMemory + ?Sized> Lent<'_, M> {
    /// # Safety
    ///
    /// The invariant of `Lent`, for a shared reference.
    pub(super) unsafe fn shared<'a>(address: u64, len: usize) -> &'a Self
    where
        Self: LentCast<M>,
    {
        // SAFETY: elements without size lie nowhere, aligned (to 1) and not null; the caller answers for the rest.
        unsafe { &*Self::cast(M::__at(address, len)) }
    }

    /// # Safety
    ///
    /// The invariant of `Lent`, for an exclusive reference.
    pub(super) unsafe fn exclusive<'a>(address: u64, len: usize) -> &'a mut Self
    where
        Self: LentCast<M>,
    {
        // SAFETY: elements without size lie nowhere, aligned (to 1) and not null; the caller answers for the rest.
        unsafe { &mut *Self::cast(M::__at(address, len)) }
    }
}

/// A pointer to memory as one to lent memory; written for each kind, since only then the compiler knows their layout.
#[doc(hidden)]
pub trait LentCast<M: ?Sized> {
    /// The same address and length.
    fn cast(memory: *mut M) -> *mut Self;
}

impl<T> LentCast<DeviceSlice<T>> for Lent<'_, DeviceSlice<T>> {
    fn cast(memory: *mut DeviceSlice<T>) -> *mut Self {
        memory as *mut Self
    }
}

impl<T> LentCast<HostSlice<T>> for Lent<'_, HostSlice<T>> {
    fn cast(memory: *mut HostSlice<T>) -> *mut Self {
        memory as *mut Self
    }
}

macro_rules! lent {
    ($($memory:ident),*) => {$(
        impl<'scope, T> Lent<'scope, $memory<T>> {
            /// How many elements there are.
            #[must_use]
            pub fn len(&self) -> usize {
                self.memory.__len()
            }

            /// Whether there are none.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// How many bytes the elements have.
            #[must_use]
            pub fn size_in_bytes(&self) -> usize {
                self.len() * size_of::<T>()
            }

            pub(super) fn address(&self) -> u64 {
                self.memory.__address()
            }

            /// Where an element's address is.
            fn address_of(&self, start: usize) -> u64 {
                self.address() + (start * size_of::<T>()) as u64
            }

            /// The elements of a position or range, or `None` if it does not lie inside.
            #[must_use]
            pub fn get(&self, index: impl DeviceIndex) -> Option<&Self> {
                let Range { start, end } = index.resolve(self.len())?;
                // SAFETY: the part lies inside, and is borrowed as the whole is.
                Some(unsafe { Self::shared(self.address_of(start), end - start) })
            }

            /// The elements of a position or range, mutably, or `None` if it does not lie inside.
            #[must_use]
            pub fn get_mut(&mut self, index: impl DeviceIndex) -> Option<&mut Self> {
                let Range { start, end } = index.resolve(self.len())?;
                // SAFETY: the part lies inside, and is borrowed as the whole is.
                Some(unsafe { Self::exclusive(self.address_of(start), end - start) })
            }

            /// The elements before `middle` and those from it on.
            ///
            /// # Panics
            ///
            /// If `middle` is past the end.
            #[must_use]
            #[track_caller]
            pub fn split_at(&self, middle: usize) -> (&Self, &Self) {
                (&self[..middle], &self[middle..])
            }

            /// The elements before `middle` and those from it on, mutably.
            ///
            /// # Panics
            ///
            /// If `middle` is past the end.
            #[must_use]
            #[track_caller]
            pub fn split_at_mut(&mut self, middle: usize) -> (&mut Self, &mut Self) {
                let len = self.len();
                assert!(middle <= len, "cannot split lent memory of length {len} at {middle}");
                // SAFETY: the first `middle` elements lie inside, and are borrowed as the whole is.
                let left = unsafe { Self::exclusive(self.address(), middle) };
                // SAFETY: the other elements lie inside, and overlap the first nowhere.
                let right = unsafe { Self::exclusive(self.address_of(middle), len - middle) };
                (left, right)
            }

            /// Parts of `size` elements in order; the last may be shorter.
            ///
            /// # Panics
            ///
            /// If `size` is 0.
            #[track_caller]
            pub fn chunks(&self, size: usize) -> LentChunks<'_, 'scope, $memory<T>> {
                assert!(size != 0, "chunks of lent memory must have a size");
                LentChunks { rest: self, size }
            }

            /// Parts of `size` elements in order, mutably; the last may be shorter.
            ///
            /// # Panics
            ///
            /// If `size` is 0.
            #[track_caller]
            pub fn chunks_mut(&mut self, size: usize) -> LentChunksMut<'_, 'scope, $memory<T>> {
                assert!(size != 0, "chunks of lent memory must have a size");
                LentChunksMut { rest: Some(self), size }
            }
        }

        /// A position gives a slice of one element.
        ///
        /// # Panics
        ///
        /// If the index does not lie inside, or a range starts after its end.
        impl<T, I: DeviceIndex + Clone> Index<I> for Lent<'_, $memory<T>> {
            type Output = Self;

            #[track_caller]
            fn index(&self, index: I) -> &Self {
                match self.get(index.clone()) {
                    Some(part) => part,
                    None => index.reject(self.len()),
                }
            }
        }

        /// A position gives a slice of one element.
        ///
        /// # Panics
        ///
        /// If the index does not lie inside, or a range starts after its end.
        impl<T, I: DeviceIndex + Clone> IndexMut<I> for Lent<'_, $memory<T>> {
            #[track_caller]
            fn index_mut(&mut self, index: I) -> &mut Self {
                let len = self.len();
                match self.get_mut(index.clone()) {
                    Some(part) => part,
                    None => index.reject(len),
                }
            }
        }

        impl<T> fmt::Debug for Lent<'_, $memory<T>> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let address = DevicePointer::<T>::from_raw(self.address());
                f.debug_struct("Lent").field("address", &address).field("len", &self.len()).finish()
            }
        }

        impl<'a, 'scope, T> Iterator for LentChunks<'a, 'scope, $memory<T>> {
            type Item = &'a Lent<'scope, $memory<T>>;

            fn next(&mut self) -> Option<Self::Item> {
                if self.rest.is_empty() {
                    return None;
                }
                let (part, rest) = self.rest.split_at(self.size.min(self.rest.len()));
                self.rest = rest;
                Some(part)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                let parts = self.rest.len().div_ceil(self.size);
                (parts, Some(parts))
            }
        }

        impl<'a, 'scope, T> Iterator for LentChunksMut<'a, 'scope, $memory<T>> {
            type Item = &'a mut Lent<'scope, $memory<T>>;

            fn next(&mut self) -> Option<Self::Item> {
                let whole = self.rest.take().filter(|rest| !rest.is_empty())?;
                let middle = self.size.min(whole.len());
                let (part, rest) = whole.split_at_mut(middle);
                self.rest = Some(rest);
                Some(part)
            }

            fn size_hint(&self) -> (usize, Option<usize>) {
                let parts = self.rest.as_ref().map_or(0, |rest| rest.len().div_ceil(self.size));
                (parts, Some(parts))
            }
        }

        impl<T> ExactSizeIterator for LentChunks<'_, '_, $memory<T>> {}
        impl<T> FusedIterator for LentChunks<'_, '_, $memory<T>> {}
        impl<T> ExactSizeIterator for LentChunksMut<'_, '_, $memory<T>> {}
        impl<T> FusedIterator for LentChunksMut<'_, '_, $memory<T>> {}
    )*};
}

lent!(DeviceSlice, HostSlice);

impl<T> Lent<'_, DeviceSlice<T>> {
    /// The first element's address, for a kernel of another library that is queued on the scope's stream.
    #[must_use]
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        DevicePointer::from_raw(self.address())
    }
}

/// Parts of lent memory; see [`Lent::chunks`].
#[allow(missing_debug_implementations, reason = "an iterator")]
pub struct LentChunks<'a, 'scope, M: ?Sized> {
    rest: &'a Lent<'scope, M>,
    size: usize,
}

/// Mutable parts of lent memory; see [`Lent::chunks_mut`].
#[allow(missing_debug_implementations, reason = "an iterator")]
pub struct LentChunksMut<'a, 'scope, M: ?Sized> {
    rest: Option<&'a mut Lent<'scope, M>>,
    size: usize,
}
