//! Fills of rows, of device memory with a pitch or of an array, with a repeated value.

use super::doubling::Axis;
use super::fill::{Pattern, Seed, queue_fill};
use super::operation::Refused;
use super::rows::{Extent, Memory, Place, RowCopy};
use crate::driver::ffi::CUstream;
use crate::driver::{Driver, check, symbol};

/// Rows that are filled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowFill<'v> {
    pub(crate) place: Place,
    /// Of device memory the bytes of one value, of an array those of a row.
    pub(crate) value: &'v [u8],
    /// Not empty. Its width is a multiple of the value's.
    pub(crate) extent: Extent,
}

impl RowFill<'_> {
    /// Whether it is one call, which is queued whole or refused whole.
    pub(crate) fn is_one_call(&self) -> bool {
        self.joined().extent.slices == 1 && self.pattern() != Pattern::Doubling
    }

    /// The same fill, where slices of device memory without a gap between them are one.
    fn joined(&self) -> Self {
        let Extent { width, rows, slices } = self.extent;
        match self.place.memory {
            Memory::Device(_) if rows == self.place.height => {
                Self { extent: Extent { width, rows: rows * slices, slices: 1 }, ..*self }
            }
            _ => *self,
        }
    }

    /// The cheapest calls: the driver wants rows aligned to the unit, and no memset knows arrays.
    fn pattern(&self) -> Pattern {
        let Memory::Device(dst) = self.place.memory else { return Pattern::Doubling };
        let apart = if self.extent.rows * self.extent.slices == 1 { 0 } else { self.place.pitch as u64 };
        Pattern::of(self.value, dst | apart)
    }

    /// Queues the calls: one 2-D memset, which is doubled by copies of slices where there are gaps between them; or the
    /// first row as any fill, or of an array as a copy of the host's, which is doubled by copies of rows and then of slices.
    /// Layers are not copied to each other, and each is filled so.
    ///
    /// # Errors
    ///
    /// The first call's that was refused.
    ///
    /// # Safety
    ///
    /// The rows may be written by this operation alone until it is complete. With [`Seed::Upload`], and of an array, the
    /// value stays as it is until then. `stream` is alive and its context bound.
    #[track_caller]
    pub(super) unsafe fn queue(&self, driver: &dyn Driver, stream: CUstream, seed: Seed) -> Result<(), Refused> {
        if self.place.memory.has_layers() && self.extent.slices > 1 {
            for slice in 0..self.extent.slices {
                let extent = Extent { slices: 1, ..self.extent };
                let layer = Self { place: self.place.on(0, slice), extent, ..*self };
                // SAFETY: a layer of what may be written.
                unsafe { layer.queue(driver, stream, seed) }.map_err(|refused| refused.after(slice > 0))?;
            }
            return Ok(());
        }
        let all = self.joined();
        let Extent { width, rows, .. } = all.extent;
        let (dst, pitch) = (all.place.memory.device(), all.place.pitch);
        let first = match all.pattern() {
            Pattern::Bytes(unit) => {
                // SAFETY: the rows of the first slice may be written.
                let status = unsafe { driver.memset_d2d8_async(dst, pitch, unit, width, rows, stream) };
                check(symbol::memset_d2d8_async, status).map_err(Refused::whole)
            }
            Pattern::Halves(unit) => {
                // SAFETY: the rows of the first slice may be written, and are aligned to 2.
                let status = unsafe { driver.memset_d2d16_async(dst, pitch, unit, width / 2, rows, stream) };
                check(symbol::memset_d2d16_async, status).map_err(Refused::whole)
            }
            Pattern::Words(unit) => {
                // SAFETY: the rows of the first slice may be written, and are aligned to 4.
                let status = unsafe { driver.memset_d2d32_async(dst, pitch, unit, width / 4, rows, stream) };
                check(symbol::memset_d2d32_async, status).map_err(Refused::whole)
            }
            // SAFETY: the caller's contract.
            Pattern::Doubling => unsafe { all.queue_slice(driver, stream, seed) },
        };
        first?;
        // SAFETY: the slices may be written, and the first is.
        unsafe { all.place.queue_doubled(driver, stream, all.extent, Axis::Slices) }
    }

    /// Queues the first row of the first slice, which is doubled by copies of rows.
    ///
    /// # Safety
    ///
    /// As for `queue`.
    #[track_caller]
    unsafe fn queue_slice(&self, driver: &dyn Driver, stream: CUstream, seed: Seed) -> Result<(), Refused> {
        let Self { place, value, extent } = *self;
        if let Memory::Device(dst) = place.memory {
            // SAFETY: the first row may be written; the caller's contract covers the value.
            unsafe { queue_fill(driver, stream, dst, value, extent.width / value.len(), seed)? };
        } else {
            let from = Place { memory: Memory::Host(value.as_ptr().cast_mut().cast()), pitch: value.len(), height: 1 };
            let row = RowCopy { to: place, from, extent: Extent { rows: 1, slices: 1, ..extent } };
            // SAFETY: the first row may be written; the caller's contract covers the value, which is a row.
            unsafe { row.queue(driver, stream) }.map_err(Refused::whole)?;
        }
        // SAFETY: the rows may be written, and the first is.
        unsafe { place.queue_doubled(driver, stream, extent, Axis::Rows) }
    }
}
