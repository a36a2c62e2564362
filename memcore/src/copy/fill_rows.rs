//! Fills of pitched device memory with a repeated value.

use super::fill::{Pattern, Seed, queue_fill};
use super::operation::Refused;
use super::rows::{Extent, Memory, Place};
use crate::driver::ffi::{CUdeviceptr, CUstream};
use crate::driver::{Driver, check, symbol};

/// Device memory in rows that are filled: the first begins at `dst`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowFill<'v> {
    pub(crate) dst: CUdeviceptr,
    /// Bytes from one row to the next, at least a row's.
    pub(crate) pitch: usize,
    /// Rows from one slice to the next, at least a slice's.
    pub(crate) height: usize,
    pub(crate) value: &'v [u8],
    /// Values of a row, rows of a slice, slices: none of them is 0.
    pub(crate) counts: [usize; 3],
}

impl RowFill<'_> {
    /// Whether it is one call, which is queued whole or refused whole.
    pub(crate) fn is_one_call(&self) -> bool {
        self.joined().counts[2] == 1 && self.pattern() != Pattern::Doubling
    }

    /// The same fill, where slices without a gap between them are one.
    fn joined(&self) -> Self {
        let [count, rows, slices] = self.counts;
        if rows == self.height { Self { counts: [count, rows * slices, 1], ..*self } } else { *self }
    }

    /// The cheapest calls: the driver wants rows aligned to the unit.
    fn pattern(&self) -> Pattern {
        let [_, rows, slices] = self.counts;
        let apart = if rows * slices == 1 { 0 } else { self.pitch as u64 };
        Pattern::of(self.value, self.dst | apart)
    }

    /// Queues the calls: one 2-D memset, which is doubled by copies of slices where there are gaps between them; or the
    /// first row as any fill, which is doubled by copies of rows and then of slices.
    ///
    /// # Errors
    ///
    /// The first call's that was refused.
    ///
    /// # Safety
    ///
    /// The rows may be written by this operation alone until it is complete. With [`Seed::Upload`] the value stays as it
    /// is until then. `stream` is alive and its context bound.
    #[track_caller]
    pub(super) unsafe fn queue(&self, driver: &dyn Driver, stream: CUstream, seed: Seed) -> Result<(), Refused> {
        let all = self.joined();
        let [count, rows, slices] = all.counts;
        let (dst, pitch, width) = (all.dst, all.pitch, count * all.value.len());
        let set = match all.pattern() {
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
        set?;
        // SAFETY: the slices may be written.
        unsafe { all.place().queue_doubled_slices(driver, stream, Extent { width, rows, slices }) }
    }

    /// Queues the first row of the first slice, which is doubled by copies of rows.
    ///
    /// # Safety
    ///
    /// As for `queue`.
    #[track_caller]
    unsafe fn queue_slice(&self, driver: &dyn Driver, stream: CUstream, seed: Seed) -> Result<(), Refused> {
        let [count, rows, _] = self.counts;
        // SAFETY: the first row may be written; the caller's contract covers the value.
        unsafe { queue_fill(driver, stream, self.dst, self.value, count, seed)? };
        let extent = Extent { width: count * self.value.len(), rows, slices: 1 };
        // SAFETY: the rows may be written.
        unsafe { self.place().queue_doubled_rows(driver, stream, extent) }
    }

    fn place(&self) -> Place {
        Place { memory: Memory::Device(self.dst), pitch: self.pitch, height: self.height }
    }
}
