//! What is written once, written over and over by copies of what is there already.

use super::operation::Refused;
use super::rows::{Extent, Place, RowCopy};
use crate::driver::Driver;
use crate::driver::ffi::CUstream;

impl Place {
    /// Copies the first row to all others of the first slice.
    ///
    /// # Errors
    ///
    /// The first call's that was refused; what came before is in flight.
    ///
    /// # Safety
    ///
    /// Rows of the extent may be read and written by this operation alone until it is complete, and the first is written
    /// by what was queued before. `stream` is alive and its context bound.
    #[track_caller]
    pub(super) unsafe fn queue_doubled_rows(
        self,
        driver: &dyn Driver,
        stream: CUstream,
        extent: Extent,
    ) -> Result<(), Refused> {
        let mut written = 1;
        while written < extent.rows {
            let more = written.min(extent.rows - written);
            let extent = Extent { rows: more, slices: 1, ..extent };
            let copy = RowCopy { to: self.rows_on(written), from: self, extent };
            // SAFETY: the rows may be written, and the two parts do not overlap.
            unsafe { copy.queue(driver, stream) }.map_err(Refused::half_way)?;
            written += more;
        }
        Ok(())
    }

    /// Copies the first slice to all others.
    ///
    /// # Errors
    ///
    /// As [`queue_doubled_rows`](Self::queue_doubled_rows).
    ///
    /// # Safety
    ///
    /// As [`queue_doubled_rows`](Self::queue_doubled_rows), of slices.
    #[track_caller]
    pub(super) unsafe fn queue_doubled_slices(
        self,
        driver: &dyn Driver,
        stream: CUstream,
        extent: Extent,
    ) -> Result<(), Refused> {
        let mut written = 1;
        while written < extent.slices {
            let more = written.min(extent.slices - written);
            let copy = RowCopy { to: self.slices_on(written), from: self, extent: Extent { slices: more, ..extent } };
            // SAFETY: the slices may be written, and the two parts do not overlap.
            unsafe { copy.queue(driver, stream) }.map_err(Refused::half_way)?;
            written += more;
        }
        Ok(())
    }
}
