//! How many threads work on a copy, and how large its parts are.
//!
//! Read off an H200 of 16 cores (`docs/performance.md`). More threads and smaller parts are not faster: a thread takes some ten
//! microseconds to wake, and a device reads slowly what is still in the caches of a core.

use super::HostCopy;
use crate::context::{SMALL, Staging};

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// How a copy is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) threads: usize,
    /// Bytes of a part, at most.
    pub(super) part_bytes: usize,
    /// How many parts may be in flight, at most.
    pub(super) slots: usize,
    /// Whether the host's memory is written past the caches.
    pub(super) non_temporal: bool,
}

impl Plan {
    /// For what is not small, while other copies of the context's run or not; `None` where the driver is as fast.
    pub(super) fn new(copy: &HostCopy, staging: Staging, are_others: bool) -> Option<Self> {
        let (bytes, most) = (copy.bytes(), staging.most_threads());
        if most == 0 || staging.piece_bytes() < SMALL {
            return None;
        }
        // What is left out, and what would have fewer threads than the least, the driver does as fast.
        let (least, threads, part_bytes, non_temporal) = match (copy.is_upload, bytes / KIB) {
            // Of several threads' the driver makes one after the other.
            (true, ..2048) if are_others => (1, 1, 256 * KIB, true),
            (true, ..2048) => return None,
            // Whole pages, so that a part of a row ends where an element does.
            (true, 2048..8192) => (4, 4, (bytes / 4).next_multiple_of(4 * KIB), false),
            (false, ..1024) => (1, 1, 256 * KIB, false),
            (false, 1024..2048) => (1, 2, 256 * KIB, false),
            (false, 2048..4096) => (2, 2, 512 * KIB, false),
            (false, 4096..8192) => (2, 4, MIB, false),
            (_, 8192..131_072) => (2, most, MIB, false),
            (is_upload, _) => (2, most, 2 * MIB, !is_upload),
        };
        let threads = threads.min(most);
        if threads < least {
            return None;
        }
        let part_bytes = part_bytes.min(staging.piece_bytes());
        let (parts, slots) = (copy.parts(part_bytes), if threads == 1 { 4 } else { threads.saturating_mul(3) });
        Some(Self { threads: threads.min(parts), part_bytes, slots: slots.min(parts), non_temporal })
    }

    /// How many pieces of page-locked memory of so many bytes the slots take.
    pub(super) fn pieces(&self, piece_bytes: usize) -> usize {
        self.slots.div_ceil(piece_bytes / self.part_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::{HostCopy, KIB, MIB, Plan};
    use crate::context::Staging;
    use core::ptr;

    /// Threads, bytes of a part, slots and whether past the caches, or the driver.
    fn plan(is_upload: bool, bytes: usize, threads: usize) -> Option<(usize, usize, usize, bool)> {
        let copy = if is_upload {
            HostCopy::upload(0, ptr::null(), bytes)
        } else {
            HostCopy::download(ptr::null_mut(), 0, bytes)
        };
        let plan = Plan::new(&copy, Staging::default().threads(threads), false)?;
        Some((plan.threads, plan.part_bytes, plan.slots, plan.non_temporal))
    }

    #[test]
    fn uploads_by_size() {
        let of = |bytes| plan(true, bytes, 8);
        assert_eq!(of(128 * KIB + 1), None);
        assert_eq!(of(2 * MIB - 1), None);
        assert_eq!(of(2 * MIB), Some((4, 512 * KIB, 4, false)));
        assert_eq!(of(8 * MIB - 1), Some((4, 2 * MIB, 4, false)));
        assert_eq!(of(8 * MIB), Some((8, MIB, 8, false)));
        assert_eq!(of(128 * MIB - 1), Some((8, MIB, 24, false)));
        assert_eq!(of(128 * MIB), Some((8, 2 * MIB, 24, false)));
    }

    #[test]
    fn downloads_by_size() {
        let of = |bytes| plan(false, bytes, 8);
        assert_eq!(of(128 * KIB + 1), Some((1, 256 * KIB, 1, false)));
        assert_eq!(of(MIB), Some((2, 256 * KIB, 4, false)));
        assert_eq!(of(2 * MIB), Some((2, 512 * KIB, 4, false)));
        assert_eq!(of(4 * MIB), Some((4, MIB, 4, false)));
        assert_eq!(of(8 * MIB), Some((8, MIB, 8, false)));
        assert_eq!(of(128 * MIB), Some((8, 2 * MIB, 24, true)));
    }

    #[test]
    fn few_threads_leave_to_the_driver_what_it_does_as_fast() {
        let is_staged = |is_upload, bytes, threads| plan(is_upload, bytes, threads).is_some();
        assert!((0..44).all(|power| !is_staged(true, 1 << power, 1)));
        assert!(!is_staged(true, 8 * MIB - 1, 3) && is_staged(true, 8 * MIB, 3) && is_staged(true, 2 * MIB, 4));
        assert!(is_staged(false, 2 * MIB - 1, 1) && !is_staged(false, 2 * MIB, 1) && !is_staged(false, 1 << 30, 1));
        assert!((128 * KIB + 1..64 * MIB).step_by(100_001).all(|bytes| is_staged(false, bytes, 2)));
        assert!(!is_staged(false, MIB, 0));
    }

    #[test]
    fn small_uploads_are_staged_beside_others() {
        let of = |bytes| {
            let plan = Plan::new(&HostCopy::upload(0, ptr::null(), bytes), Staging::default().threads(8), true)?;
            Some((plan.threads, plan.part_bytes, plan.slots, plan.non_temporal))
        };
        assert_eq!(of(128 * KIB + 1), Some((1, 256 * KIB, 1, true)));
        assert_eq!(of(2 * MIB - 1), Some((1, 256 * KIB, 4, true)));
        assert_eq!(of(2 * MIB), plan(true, 2 * MIB, 8));
    }

    #[test]
    fn parts_fit_the_pieces() {
        for maximum in [0, 128 * KIB, MIB, 2 * MIB, 3 * MIB, 32 * MIB, usize::MAX] {
            let staging = Staging::default().threads(8).maximum_bytes(maximum);
            let plan = Plan::new(&HostCopy::upload(0, ptr::null(), 64 * MIB), staging, false);
            assert_eq!(plan.is_some(), maximum >= 2 * MIB, "{maximum}");
            let Some(plan) = plan else { continue };
            assert!(plan.part_bytes <= staging.piece_bytes() && plan.pieces(staging.piece_bytes()) >= 1);
        }
    }
}
