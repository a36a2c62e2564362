//! Unified (managed) memory.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::ffi::c_void;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};
use core::ptr::{self, NonNull};
use std::io::{self, Read};
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit, Zeroable};

use super::array::HostArray;
use super::boxed::host_box;
use super::buffer::{host_buffer, host_slice, host_traits};
use super::flags::AttachFlag;
use super::owner::{Allocated, HostMemory};
use crate::context::{Contents, Context, Inner, owner_of};
use crate::copy::note_managed_memory;
use crate::device::DeviceAttribute;
use crate::driver::ffi::CUdeviceptr;
use crate::driver::{check, symbol};
use crate::error::{Error, Result};
use crate::memory::{DeviceCopy, DevicePointer, DeviceSlice, UnifiedPointer};

/// Memory from `cuMemAllocManaged`.
pub(super) enum Managed {}

impl HostMemory for Managed {
    unsafe fn free(context: &Inner, pointer: *mut c_void) -> Result<()> {
        // SAFETY: the caller's contract.
        check(symbol::mem_free, unsafe { context.driver().mem_free(pointer.expose_provenance() as u64) })
    }
}

impl Allocated for Managed {
    type Flags = AttachFlag;

    fn require(context: &Inner, _flags: AttachFlag) -> Result<()> {
        let has = |attribute| context.device().attribute(attribute).map(|value| value != 0);
        if !has(DeviceAttribute::MANAGED_MEMORY)? {
            return Err(Error::Unsupported { what: "unified memory" });
        }
        // The host could not touch it while the device is busy with anything: no `&[T]` can promise that.
        if !has(DeviceAttribute::CONCURRENT_MANAGED_ACCESS)? {
            return Err(Error::Unsupported { what: "unified memory that the host may use while the device is busy" });
        }
        Ok(())
    }

    fn owner(address: u64) -> Result<Arc<Inner>> {
        note_managed_memory();
        owner_of(address).or_else(|_| {
            // Opening the current context may be what makes the address known.
            Context::current().and_then(|_| owner_of(address))
        })
    }

    fn allocate(context: &Arc<Inner>, bytes: usize, flag: AttachFlag, contents: Contents) -> Result<NonNull<c_void>> {
        let mut address: CUdeviceptr = 0;
        note_managed_memory();
        // SAFETY: `address` is writable for the length of the call.
        let status = unsafe { context.driver().mem_alloc_managed(&raw mut address, bytes, flag.as_raw()) };
        check(symbol::mem_alloc_managed, status)?;
        let pointer = NonNull::new(ptr::with_exposed_provenance_mut::<c_void>(address as usize));
        let pointer = pointer.ok_or(Error::Unsupported { what: "unified memory" })?;
        if contents == Contents::Zeros {
            // SAFETY: the new memory has as many bytes.
            unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
        }
        Ok(pointer)
    }
}

/// An array of `T`s in unified memory, which it owns: a `Box<[T]>` at one address for host and device.
///
/// It derefs to `[T]`; pages move to whoever touches them, and there may be more of them than the device has memory.
/// [`as_device_slice`](Self::as_device_slice) is the device's side, for copies and fills that the device does.
/// [`unified_vec!`](crate::unified_vec) makes one, and [`MemoryAdvise`](crate::memory::MemoryAdvise) moves its pages ahead
/// of use, and says where they live where there are several devices.
///
/// While the device works on it (a kernel, or a raw asynchronous copy) the host must not read or write it: that would
/// be a race, whose values are anyone's. memcore's safe calls are complete on return, so that with them alone it cannot
/// happen; whoever gives [`as_unified_ptr`](Self::as_unified_ptr) to a kernel waits for the kernel before the next use.
///
/// The constructors without `_in` or `_with` use the current context ([`Context::current`]). They call `cuMemAllocManaged`, which
/// does not wait for device work. Their errors are [`Error::Unsupported`] where the device has no unified memory, or
/// none that the host may use while the device is busy (`CONCURRENT_MANAGED_ACCESS` is 0); [`Error::OutOfMemory`];
/// [`Error::SizeOverflow`]; the driver's code; and, without a context, what opening the default context fails with.
/// Dropped, the memory is freed (`cuMemFree_v2`, which may wait for device work); the drop does not panic, and a
/// failure goes to [`Context::take_drop_errors`]. An empty buffer, and one of a type without bytes, has no memory and
/// makes no driver call.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut unified = unified_vec![1.0f32, 2.0, 3.0]?;
/// unified[0] = 10.0; // by the host
/// fill!(unified.as_device_slice_mut()[1..] <- 7.0)?; // by the device
/// assert_eq!(*unified, [10.0, 7.0, 7.0]);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct UnifiedBuffer<T> {
    array: HostArray<T, Managed>,
}

host_buffer!(
    UnifiedBuffer,
    AttachFlag,
    UnifiedPointer<T>,
    UnifiedPointer::from_mut_ptr,
    UnifiedPointer::as_mut_ptr,
    "cuMemAllocManaged` or `cudaMallocManaged",
    "`cuMemFree_v2`",
    "// SAFETY: the memory has room for `len` elements.\nfor i in 0..len { unsafe { pointer.as_mut_ptr().add(i).write(7) } }"
);

/// One `T` in unified memory, which it owns: a `Box<T>` at one address for host and device.
///
/// It derefs to `T`. What its constructors call and fail with, what its drop does, and when the host may use it, is as
/// for [`UnifiedBuffer`]. [`unified_box!`](crate::unified_box) makes one.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut value = unified_box![5u32]?;
/// *value += 1;
/// let dev = device_vec![0u32; 2]?;
/// copy!(value.as_device_slice_mut() <- dev[..1])?;
/// assert_eq!(*value, 0);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct UnifiedBox<T> {
    /// INVARIANT: its length is 1.
    array: HostArray<T, Managed>,
}

host_box!(UnifiedBox, AttachFlag, UnifiedPointer<T>, UnifiedPointer::from_mut_ptr, UnifiedPointer::as_mut_ptr);

/// The device's side of unified memory.
macro_rules! device_side {
    ($owner:ident) => {
        impl<T> $owner<T> {
            /// The first element's address, for host and device.
            #[must_use]
            pub fn as_unified_ptr(&self) -> UnifiedPointer<T> {
                UnifiedPointer::from_raw(self.array.address())
            }

            /// The first element's address, for the device.
            #[must_use]
            pub fn as_device_ptr(&self) -> DevicePointer<T> {
                DevicePointer::from_raw(self.array.address())
            }

            /// The memory as the device's, to be read. All bytes of a `T` are initialised, and no `T` changes behind a
            /// shared reference: what the host's side has to promise for the device's to be viewed as anything.
            #[must_use]
            pub fn as_device_slice(&self) -> &DeviceSlice<T>
            where
                T: NoUninit,
            {
                // SAFETY: unified memory is the device's too, in a context that the owner keeps open; it is
                // initialised, and borrowed as `self` is.
                unsafe { DeviceSlice::from_raw_parts(self.as_device_ptr(), self.array.len()) }
            }

            /// The memory as the device's, to be written. Whatever bytes the device writes are a `T`.
            #[must_use]
            pub fn as_device_slice_mut(&mut self) -> &mut DeviceSlice<T>
            where
                T: NoUninit + AnyBitPattern,
            {
                // SAFETY: as for `as_device_slice`; `&mut self` makes it the only use, and any bytes are a `T`.
                unsafe { DeviceSlice::from_raw_parts_mut(self.as_device_ptr(), self.array.len()) }
            }
        }
    };
}

device_side!(UnifiedBuffer);
device_side!(UnifiedBox);
