//! Moves within a device slice.

use super::{DeviceIndex, DeviceSlice};
use crate::context::{Context, owner_of};
use crate::copy::{self, Mode, Move, Order};
#[allow(unused_imports, reason = "the documentation links to it")]
use crate::error::{Error, Result};
use crate::memory::{DeviceBuffer, DeviceCopy};

/// Where a part goes: its own range and where it is to begin, in elements of a slice of `len`.
///
/// # Panics
///
/// If either does not lie inside.
#[track_caller]
pub(crate) fn resolve(part: impl DeviceIndex + Clone, destination: usize, len: usize) -> (usize, usize) {
    let Some(range) = part.clone().resolve(len) else { part.reject(len) };
    let fits = destination <= len - range.len();
    assert!(fits, "{} elements from {destination} on are out of range for a device slice of length {len}", range.len());
    (range.start, range.len())
}

impl<T: DeviceCopy> DeviceSlice<T> {
    /// Copies a range of the slice to where `destination` begins in it, as [`slice::copy_within`] does: the two may overlap.
    /// Complete on return.
    ///
    /// Driver functions: `cuMemcpyDtoDAsync_v2`, once where the ranges do not overlap, and up to 16 times where they overlap
    /// little; else each part goes through scratch memory, which is allocated first and freed after; then
    /// `cuStreamSynchronize`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![1u8, 2, 3, 4, 5]?;
    /// dev.copy_within(1.., 0)?;
    /// assert_eq!(dev.to_vec()?, [2, 3, 4, 5, 5]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`] if there is no room for scratch memory, at most 32 MiB or one element; the driver's code.
    ///
    /// # Panics
    ///
    /// If either range does not lie inside.
    #[track_caller]
    pub fn copy_within(&mut self, source: impl DeviceIndex + Clone, destination: usize) -> Result<()> {
        let (start, len) = resolve(source, destination, self.len());
        let bytes = len * size_of::<T>();
        if bytes == 0 || start == destination {
            return Ok(());
        }
        let first = self.as_device_ptr();
        let (to, from) = (first.add(destination).as_raw(), first.add(start).as_raw());
        let (mut within, scratch) = Move::plan(to, from, bytes, size_of::<T>());
        let mut room = DeviceBuffer::<u8>::default();
        if scratch > 0 {
            let context = Context { inner: owner_of(first.as_raw())? };
            // SAFETY: each part is written before it is read.
            room = unsafe { DeviceBuffer::uninitialized_in(&context, scratch)? };
            within = within.through(room.address());
        }
        // SAFETY: both ranges lie inside, borrowed exclusively for this call, which waits, and the scratch memory is its own.
        unsafe { copy::move_within(self.context()?, within, Mode::Waited(Order::Now))? };
        drop(room);
        Ok(())
    }
}
