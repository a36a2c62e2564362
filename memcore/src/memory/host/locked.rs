//! Page-locked memory.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::convert::identity;
use core::ffi::c_void;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use std::io::{self, Read};
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit, Zeroable};

use super::array::HostArray;
use super::boxed::host_box;
use super::buffer::{host_buffer, host_slice, host_traits};
use super::flags::{LockedFlags, bits_of};
use super::owner::{Allocated, HostMemory};
use crate::context::{Contents, Context, Inner, host_owner_of, mapping_owner_of};
use crate::copy::{empty_write_buffers, note_write_combined_memory};
use crate::error::{Error, Result};
use crate::memory::{DeviceCopy, DevicePointer};

/// Memory from `cuMemHostAlloc`, or, where it is large, in registered pages of memcore's.
pub(super) enum PageLocked {}

impl HostMemory for PageLocked {
    unsafe fn free(context: &Inner, pointer: *mut c_void) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe { context.free_locked(pointer) }
    }
}

impl Allocated for PageLocked {
    type Flags = LockedFlags;

    fn require(_context: &Inner, flags: LockedFlags) -> Result<()> {
        bits_of(&flags, "page-locked memory").map(|_| ())
    }

    fn owner(address: u64) -> Result<Arc<Inner>> {
        if let Some(context) = mapping_owner_of(address) {
            return Ok(context);
        }
        // How others allocated it is not known here.
        note_write_combined_memory();
        host_owner_of(address)
    }

    fn allocate(context: &Arc<Inner>, bytes: usize, flags: LockedFlags, contents: Contents) -> Result<NonNull<c_void>> {
        if flags.contains(LockedFlags::WRITE_COMBINED) {
            note_write_combined_memory();
        }
        context.allocate_locked(bytes, flags.bits(), contents)
    }

    /// Whoever gets the memory sees at least what it was made with.
    fn written(flags: LockedFlags) {
        if flags.contains(LockedFlags::WRITE_COMBINED) {
            empty_write_buffers();
        }
    }
}

/// An array of `T`s in page-locked host memory, which it owns: a `Box<[T]>` that the device reads and writes directly.
///
/// It derefs to `[T]`. Copies between it and a device run at the full speed of the bus and can be asynchronous, where
/// pageable memory goes through the driver's own buffers. Since it takes physical memory from the whole system, lock
/// what the copies need and no more. The memory is cacheable, unless the constructors that end in `_with` are told
/// otherwise ([`LockedFlags`]). The driver aligns small memory to 512 bytes (seen, not documented);
/// for a type that asks for more the constructors may say [`Error::Unsupported`]. [`locked_vec!`](crate::locked_vec)
/// makes one.
///
/// The constructors without `_in` or `_with` use the current context ([`Context::current`]); any device may use the
/// memory. They call `cuMemHostAlloc`, which does not wait for device work; but when memory runs out, what contexts keep is
/// given back first (`cuMemHostUnregister`, which may). Their errors are [`Error::OutOfMemory`], also at the limit on locked
/// memory; [`Error::SizeOverflow`]; the driver's code; [`Error::UnknownFlags`]; and, without a
/// context, what opening the default context fails with. Dropped, the memory is freed (`cuMemFreeHost`), on any thread;
/// the drop does not panic, and a failure goes to [`Context::take_drop_errors`]. An empty buffer, and one of a type
/// without bytes, has no memory and makes no driver call.
///
/// # Large memory
///
/// Of 256 KiB and more, memory that is not write-combined is not the driver's: it lies in whole pages of the process's
/// own, which several threads touch ([`Staging::threads`](crate::Staging::threads)) and `cuMemHostRegister_v2` then locks.
/// That takes a fraction of the time. Where the system has huge pages (2 MiB) they are such; a last one that is at least half
/// full is taken as a whole, so that 1 MiB takes up 2. It is mapped, portable and at least page-aligned, whatever the flags
/// say, and counts as the process's memory, also towards the limit of a container. Where the system or the driver refuses it,
/// `cuMemHostAlloc` is called as for small memory, which is logged once ([`Context::locked_statistics`] tells how often).
///
/// Freed, its pages are kept by the context for the next buffer of about that size, which then makes no driver call
/// ([`Context::keep_locked_memory`] says how many, and [`Context::trim`] gives them back). Freeing asks `cuStreamQuery`
/// whether the context lives, and what is not kept is unregistered (`cuMemHostUnregister`, which may wait for device
/// work). So a free does not always wait: as ever, whoever has raw asynchronous work or a kernel use the memory waits
/// for that first.
///
/// Taken apart ([`into_raw_parts`](Self::into_raw_parts)), such memory is not for `cuMemFreeHost`, which refuses it: free it
/// by [`from_raw_parts`](Self::from_raw_parts) or [`cuda_free_locked`](crate::memory::cuda_free_locked), which know it by
/// its address.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut locked = LockedBuffer::from_slice(&[1u32, 2, 3])?;
/// locked[0] = 10;
/// let dev = DeviceBuffer::from_slice(&locked)?;
/// locked.fill(0);
/// copy!(locked <- dev)?;
/// assert_eq!(*locked, [10, 2, 3]);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct LockedBuffer<T> {
    array: HostArray<T, PageLocked>,
}

host_buffer!(
    LockedBuffer,
    LockedFlags,
    *mut T,
    identity,
    identity,
    "cuMemHostAlloc` or `cudaHostAlloc",
    "`cuMemFreeHost`; of large memory what the type's page says",
    "// SAFETY: the memory has room for `len` elements.\nfor i in 0..len { unsafe { pointer.add(i).write(7) } }"
);

/// One `T` in page-locked host memory, which it owns: a `Box<T>` that the device reads and writes directly.
///
/// It derefs to `T`. What its constructors call and fail with, and what its drop does, is as for [`LockedBuffer`].
/// [`locked_box!`](crate::locked_box) makes one.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut value = LockedBox::new(&1.5f32)?;
/// *value += 1.0;
/// let dev = DeviceBox::new(&*value)?;
/// assert_eq!(dev.to_value()?, 2.5);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct LockedBox<T> {
    /// INVARIANT: its length is 1.
    array: HostArray<T, PageLocked>,
}

host_box!(LockedBox, LockedFlags, *mut T, identity, identity);

/// The device's side of page-locked memory.
macro_rules! device_side {
    ($owner:ident) => {
        impl<T> $owner<T> {
            /// The first element's address for the device, which reads and writes the memory in place. Does not wait.
            /// Driver function: `cuMemHostGetDevicePointer_v2`.
            ///
            /// With `UNIFIED_ADDRESSING` it is the host's address, and all page-locked memory has one. While the device
            /// works with it (a kernel, say), nothing else may use the memory. Memory without bytes has an address too,
            /// which means nothing, and makes no call.
            ///
            /// # Errors
            ///
            /// The driver's code, `INVALID_VALUE` where the memory is not mapped.
            #[track_caller]
            pub fn device_ptr(&self) -> Result<DevicePointer<T>> {
                Ok(DevicePointer::from_raw(self.array.device_address()?))
            }
        }
    };
}

device_side!(LockedBuffer);
device_side!(LockedBox);

#[cfg(test)]
mod tests {
    use super::{LockedBuffer, LockedFlags};
    use crate::context::Context;
    use crate::driver::sim::{Sim, SimOptions};

    /// A driver does not say of every memory what was asked for (an H200's does of the block that it took it from), so that
    /// nothing public asks it. The simulated one does.
    #[test]
    fn flags_reach_the_driver() {
        let sim = Sim::new(SimOptions::default());
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        for flags in (0..8).filter_map(LockedFlags::from_bits) {
            let locked = LockedBuffer::<u8>::zeroed_with(&context, flags, 100).unwrap();
            let (bound, mut said) = (context.inner.bind().unwrap(), 0);
            // SAFETY: `said` is writable for the length of the call; the pointer is only looked up.
            let status = unsafe { bound.driver().mem_host_flags(&raw mut said, locked.as_ptr().cast_mut().cast()) };
            assert!(status.is_success());
            assert_eq!(said, flags.bits());
        }
    }
}
