//! Fills of arrays, which no memset knows.

use super::operation::Refused;
use super::rows::{Extent, Memory, Place, RowCopy};
use crate::driver::Driver;
use crate::driver::ffi::CUstream;

/// Part of an array that is filled: each row with the bytes of `row`, which are as many as the extent's width.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayFill<'v> {
    pub(crate) place: Place,
    pub(crate) row: &'v [u8],
    pub(crate) extent: Extent,
}

impl ArrayFill<'_> {
    /// Queues the calls: the first row is uploaded, and doubled by copies of rows and then of slices; but of layers, each.
    ///
    /// # Errors
    ///
    /// The first call's that was refused.
    ///
    /// # Safety
    ///
    /// The extent may be written, by this operation alone until it is complete; the row stays as it is until then.
    /// `stream` is alive and its context bound.
    #[track_caller]
    pub(super) unsafe fn queue(&self, driver: &dyn Driver, stream: CUstream) -> Result<(), Refused> {
        let Self { place, row, extent } = *self;
        if place.memory.has_layers() && extent.slices > 1 {
            for slice in 0..extent.slices {
                let layer = Self { place: place.slices_on(slice), row, extent: Extent { slices: 1, ..extent } };
                // SAFETY: a layer of what may be written.
                unsafe { layer.queue(driver, stream) }.map_err(|refused| refused.after(slice > 0))?;
            }
            return Ok(());
        }
        let from = Place { memory: Memory::Host(row.as_ptr().cast_mut().cast()), pitch: row.len(), height: 1 };
        let first = RowCopy { to: place, from, extent: Extent { rows: 1, slices: 1, ..extent } };
        // SAFETY: the first row may be written, and the caller's contract covers the row that is read.
        unsafe { first.queue(driver, stream) }.map_err(Refused::whole)?;
        // SAFETY: the rows may be written.
        unsafe { place.queue_doubled_rows(driver, stream, extent)? };
        // SAFETY: the slices may be written.
        unsafe { place.queue_doubled_slices(driver, stream, extent) }
    }
}
