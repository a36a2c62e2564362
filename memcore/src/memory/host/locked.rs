//! Page-locked memory.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::convert::identity;
use core::ffi::c_void;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::{Deref, DerefMut};
use core::ptr;
use std::io::{self, Read};
use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit, Zeroable};

use super::array::HostArray;
use super::boxed::host_box;
use super::buffer::{host_buffer, host_traits};
use super::owner::HostMemory;
use crate::context::{Context, Inner, host_owner_of};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result};
use crate::memory::DeviceCopy;

/// Memory from `cuMemHostAlloc`.
pub(super) enum PageLocked {}

impl HostMemory for PageLocked {
    fn require(_context: &Inner) -> Result<()> {
        Ok(())
    }

    fn owner(address: u64) -> Result<Arc<Inner>> {
        host_owner_of(address)
    }

    fn allocate(driver: &dyn Driver, bytes: usize) -> Result<*mut c_void> {
        let mut pointer = ptr::null_mut();
        // SAFETY: `pointer` is writable for the length of the call.
        check(symbol::mem_host_alloc, unsafe { driver.mem_host_alloc(&raw mut pointer, bytes, 0) })?;
        Ok(pointer)
    }

    unsafe fn free(driver: &dyn Driver, pointer: *mut c_void) -> Result<()> {
        // SAFETY: the caller's contract.
        check(symbol::mem_free_host, unsafe { driver.mem_free_host(pointer) })
    }
}

/// An array of `T`s in page-locked host memory, which it owns: a `Box<[T]>` that the device reads and writes directly.
///
/// It derefs to `[T]`. Copies between it and a device run at the full speed of the bus and can be asynchronous, where
/// pageable memory goes through the driver's own buffers. Since it takes physical memory from the whole system, lock
/// what the copies need and no more. The memory is cacheable. The driver aligns it to 512 bytes (seen, not documented);
/// for a type that asks for more the constructors may say [`Error::Unsupported`]. [`locked_vec!`](crate::locked_vec)
/// makes one.
///
/// The constructors without `_in` use the current context ([`Context::current`]); any device may use the memory. They
/// call `cuMemHostAlloc`, which does not wait for device work. Their errors are [`Error::OutOfMemory`], also at the
/// limit on locked memory; [`Error::SizeOverflow`]; the driver's code; and, without `_in`, what opening the default
/// context fails with. Dropped, the memory is freed (`cuMemFreeHost`), on any thread; the drop does not panic, and a
/// failure goes to [`Context::take_drop_errors`]. An empty buffer, and one of a type without bytes, has no memory and
/// makes no driver call.
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
    *mut T,
    identity,
    identity,
    "cuMemHostAlloc` or `cudaHostAlloc",
    "cuMemFreeHost",
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

host_box!(LockedBox, *mut T, identity, identity);
