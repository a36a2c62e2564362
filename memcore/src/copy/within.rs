//! Moves within device memory: of two overlapping ranges the driver's copies are undefined.

use super::operation::Refused;
use crate::driver::ffi::{CUdeviceptr, CUstream};
use crate::driver::{Driver, check, symbol};

/// More parts than this are not copied straight from one range to the other.
const MOST_PARTS: usize = 16;

/// No more scratch memory than this is made, but for one element.
const MOST_SCRATCH: usize = 32 << 20;

/// A move of bytes, part by part, in the order in which no part is overwritten before it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) dst: CUdeviceptr,
    pub(crate) src: CUdeviceptr,
    pub(crate) bytes: usize,
    /// Bytes of a part. Without scratch memory no more than lie between the two starts.
    part: usize,
    /// Where each part goes in between: as many bytes.
    through: Option<CUdeviceptr>,
}

impl Move {
    /// The cheapest way that overwrites nothing too early, for elements of `unit` bytes, and how many bytes of scratch memory
    /// it needs.
    pub(crate) fn plan(dst: CUdeviceptr, src: CUdeviceptr, bytes: usize, unit: usize) -> (Self, usize) {
        // Two addresses of one allocation.
        let apart = dst.abs_diff(src) as usize;
        let straight = Self { dst, src, bytes, part: apart.min(bytes), through: None };
        if apart == 0 || bytes.div_ceil(apart) <= MOST_PARTS {
            return (straight, 0);
        }
        let part = bytes.min((MOST_SCRATCH / unit.max(1) * unit).max(unit));
        (Self { part, ..straight }, part)
    }

    /// With the scratch memory that it needs.
    pub(crate) fn through(self, scratch: CUdeviceptr) -> Self {
        Self { through: Some(scratch), ..self }
    }

    /// Whether it is one driver call, which is queued whole or refused whole.
    pub(crate) fn is_one_call(&self) -> bool {
        self.through.is_none() && self.part >= self.bytes
    }
}

/// Makes the driver's calls.
///
/// # Safety
///
/// As [`move_within`](super::move_within); `stream` is alive and its context bound.
#[track_caller]
pub(super) unsafe fn queue_move(driver: &dyn Driver, stream: CUstream, within: Move) -> Result<(), Refused> {
    let Move { dst, src, bytes, part, through } = within;
    let mut done = 0;
    while done < bytes {
        let len = part.min(bytes - done);
        // Towards lower addresses from the start on, towards higher from the end.
        let at = if dst < src { done } else { bytes - done - len } as u64;
        let steps = match through {
            Some(scratch) => [Some((scratch, src + at)), Some((dst + at, scratch))],
            None => [Some((dst + at, src + at)), None],
        };
        for (index, (to, from)) in steps.into_iter().flatten().enumerate() {
            // SAFETY: `len` bytes of either side may be used, and the two do not overlap: a part is no longer than the two
            // starts are apart, or scratch memory lies between. What comes before in the stream has read what this overwrites.
            let status = unsafe { driver.memcpy_dtod_async(to, from, len, stream) };
            let queued = check(symbol::memcpy_dtod_async, status);
            queued.map_err(|error| Refused { error, is_half_way: done > 0 || index > 0 })?;
        }
        done += len;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{MOST_SCRATCH, Move};

    #[test]
    fn far_moves_are_one_call_and_near_ones_go_through_scratch_memory() {
        let (apart, scratch) = Move::plan(1000, 0, 1000, 4);
        assert!(apart.is_one_call() && scratch == 0);
        let (parts, scratch) = Move::plan(0, 100, 1000, 4);
        assert_eq!((parts.part, parts.is_one_call(), scratch), (100, false, 0));
        let (near, scratch) = Move::plan(4, 0, 1000, 4);
        assert_eq!((near.part, near.is_one_call(), scratch), (1000, true, 1000));
        assert!(!near.through(0).is_one_call());
        let (_, scratch) = Move::plan(12, 0, 1 << 30, 12);
        assert_eq!(scratch, MOST_SCRATCH / 12 * 12);
        let (_, scratch) = Move::plan(1 << 26, 0, 1 << 40, 1 << 26);
        assert_eq!(scratch, 1 << 26);
        let (same, scratch) = Move::plan(8, 8, 1000, 4);
        assert_eq!((same.bytes, scratch), (1000, 0));
    }
}
