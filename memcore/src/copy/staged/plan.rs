//! How many threads work on a copy, and how large its parts are.
//!
//! Read off an H200 of 16 cores (`docs/performance.md`). More threads and smaller parts are not faster: a thread takes some ten
//! microseconds to wake, and a device reads slowly what is still in the caches of a core.

use super::Transfer;
use crate::context::{SMALL, Staging};

/// How a copy is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) threads: usize,
    /// Bytes of a part, at most.
    pub(super) chunk: usize,
    /// How many parts may be in flight, at most.
    pub(super) slots: usize,
    /// Whether the host's memory is written past the caches.
    pub(super) streams: bool,
}

impl Transfer {
    /// Whether one small piece of page-locked memory holds all of it.
    pub(super) fn is_small(&self) -> bool {
        self.bytes() <= SMALL
    }
}

impl Plan {
    /// For what is not small; `None` where the driver is as fast.
    pub(super) fn new(transfer: &Transfer, staging: Staging) -> Option<Self> {
        const KIB: usize = 1 << 10;
        const MIB: usize = 1 << 20;
        let (bytes, most) = (transfer.bytes(), staging.most_threads());
        if most == 0 || staging.share() < SMALL {
            return None;
        }
        let (threads, chunk, streams) = if transfer.is_upload {
            match bytes / KIB {
                0..2048 => (1, 256 * KIB, true),
                // Whole pages, so that a part of a row ends where an element does.
                2048..8192 => (4, (bytes / 4).next_multiple_of(4096), false),
                8192..131_072 => (most, MIB, false),
                _ => (most, 2 * MIB, false),
            }
        } else {
            match bytes / KIB {
                0..1024 => (1, 256 * KIB, false),
                1024..2048 => (2, 256 * KIB, false),
                2048..4096 => (2, 512 * KIB, false),
                4096..8192 => (4, MIB, false),
                8192..131_072 => (most, MIB, false),
                _ => (most, 2 * MIB, true),
            }
        };
        let threads = threads.min(most);
        let is_alone = threads == 1 && bytes > 2 * MIB;
        let are_two = threads < 4 && transfer.is_upload && (2 * MIB..8 * MIB).contains(&bytes);
        if is_alone || are_two {
            return None;
        }
        let chunk = chunk.clamp(SMALL, MIB.max(chunk)).min(staging.share());
        let (parts, slots) = (transfer.parts(chunk), if threads == 1 { 4 } else { threads.saturating_mul(3) });
        Some(Self { threads: threads.min(parts), chunk, slots: slots.min(parts), streams })
    }

    /// How many pieces of page-locked memory of `share` bytes the slots take.
    pub(super) fn pieces(&self, share: usize) -> usize {
        self.slots.div_ceil(share / self.chunk)
    }
}
