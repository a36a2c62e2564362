//! What is written once, written over and over by copies of what is there already.

use super::operation::Refused;
use super::rows::{Extent, Place, RowCopy};
use crate::driver::Driver;
use crate::driver::ffi::CUstream;

/// What is doubled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Axis {
    /// The first row of the first slice, to all others of that slice.
    Rows,
    /// The first slice, to all others.
    Slices,
}

impl Place {
    /// Copies the first row or slice to the others.
    ///
    /// # Errors
    ///
    /// The first call's that was refused; what came before is in flight.
    ///
    /// # Safety
    ///
    /// The extent may be read and written by this operation alone until it is complete, and the first row or slice is
    /// written by what was queued before. `stream` is alive and its context bound.
    #[track_caller]
    pub(super) unsafe fn queue_doubled(
        self,
        driver: &dyn Driver,
        stream: CUstream,
        extent: Extent,
        axis: Axis,
    ) -> Result<(), Refused> {
        let all = match axis {
            Axis::Rows => extent.rows,
            Axis::Slices => extent.slices,
        };
        let mut written = 1;
        while written < all {
            let more = written.min(all - written);
            let (to, extent) = match axis {
                Axis::Rows => (self.on(written, 0), Extent { rows: more, slices: 1, ..extent }),
                Axis::Slices => (self.on(0, written), Extent { slices: more, ..extent }),
            };
            let copy = RowCopy { to, from: self, extent };
            // SAFETY: both parts lie inside, and do not overlap.
            unsafe { copy.queue(driver, stream) }.map_err(Refused::half_way)?;
            written += more;
        }
        Ok(())
    }
}
