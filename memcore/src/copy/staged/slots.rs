//! The slots of one copy: pieces of page-locked memory, each used by one part after the other.

use core::sync::atomic::{AtomicUsize, Ordering};

use crate::context::Piece;

/// A slot, and how far each side is with it. Part `p` uses slot `p % count`; sides are done with a part when their number
/// is beyond it.
struct Slot {
    start: *mut u8,
    /// One more than the last part that the host has copied.
    host: AtomicUsize,
    /// One more than the last part that the device has.
    device: AtomicUsize,
}

/// All slots.
pub(super) struct Slots(Vec<Slot>);

// SAFETY: a shared reference gives addresses and numbers alone.
unsafe impl Sync for Slots {}

/// Which side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Host,
    Device,
}

impl Slots {
    /// Slots of `part_bytes` bytes in the pieces, at most `most`; none where there are no pieces.
    pub(super) fn new(pieces: &[Piece<'_>], part_bytes: usize, most: usize) -> Self {
        let starts = pieces.iter().flat_map(|piece| {
            let slots = 0..piece.len() / part_bytes;
            slots.map(|slot| piece.start().wrapping_add(slot * part_bytes))
        });
        let slot = |start| Slot { start, host: AtomicUsize::new(0), device: AtomicUsize::new(0) };
        Self(starts.take(most).map(slot).collect())
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    /// The slot of a part.
    pub(super) fn index(&self, part: usize) -> usize {
        part % self.0.len()
    }

    /// Where a part lies.
    pub(super) fn start(&self, part: usize) -> *mut u8 {
        self.slot(part).start
    }

    fn slot(&self, part: usize) -> &Slot {
        &self.0[self.index(part)]
    }

    fn number(&self, part: usize, side: Side) -> &AtomicUsize {
        match side {
            Side::Host => &self.slot(part).host,
            Side::Device => &self.slot(part).device,
        }
    }

    /// Says that a side is done with a part.
    pub(super) fn done(&self, part: usize, side: Side) {
        self.number(part, side).store(part + 1, Ordering::Release);
    }

    /// Whether a side is done with a part.
    pub(super) fn is_done(&self, part: usize, side: Side) -> bool {
        self.number(part, side).load(Ordering::Acquire) > part
    }

    /// Whether a side is done with the part that had the slot before, so that the slot may be used for this one.
    pub(super) fn is_free(&self, part: usize, side: Side) -> bool {
        part < self.0.len() || self.is_done(part - self.0.len(), side)
    }
}
