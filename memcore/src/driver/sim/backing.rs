//! The bytes of simulated device memory. They lie apart from the device addresses, which no host access may reach.

use core::ptr::NonNull;
use std::alloc::{self, Layout};

use super::pages;

/// What fresh and freed memory reads as.
pub(super) const POISON: u8 = 0xCB;

/// What is about to happen to a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    /// It is read, or written in part.
    Read,
    /// Every byte of it is overwritten.
    Overwrite,
}

/// The bytes of one device allocation: always initialised, poisoned until they are written.
///
/// Large ones are poisoned piece by piece when first touched, so that a large allocation costs what is used of it.
#[derive(Debug)]
pub(super) struct Backing {
    /// INVARIANT: `len` bytes, initialised and owned by this value; from `pages::map` (`capacity` bytes) if `mapped`,
    /// else from the allocator with `Self::layout(len)`.
    pointer: NonNull<u8>,
    len: usize,
    capacity: usize,
    mapped: bool,
    /// Of each piece, whether it still waits for its poison. Empty when everything has it.
    fresh: Vec<bool>,
}

// SAFETY: the bytes are owned by this value alone, like those of a `Box<[u8]>`.
unsafe impl Send for Backing {}

impl Backing {
    /// Smaller allocations come from the allocator: the system's mappings are limited in number.
    const SMALL: usize = 256 << 10;
    /// Bytes that are poisoned together.
    const PIECE: usize = 1 << 20;

    const fn layout(len: usize) -> Option<Layout> {
        match Layout::from_size_align(if len == 0 { 1 } else { len }, 16) {
            Ok(layout) => Some(layout),
            Err(_) => None,
        }
    }

    /// `len` bytes of poison; `None` where the machine has not got them.
    pub(super) fn new(len: usize) -> Option<Self> {
        if len <= Self::SMALL {
            let layout = Self::layout(len)?;
            // SAFETY: the layout has at least one byte.
            let pointer = NonNull::new(unsafe { alloc::alloc(layout) })?;
            // SAFETY: the allocation has `layout.size()` bytes.
            unsafe { pointer.write_bytes(POISON, layout.size()) };
            return Some(Self { pointer, len, capacity: layout.size(), mapped: false, fresh: Vec::new() });
        }
        let capacity = len.checked_next_multiple_of(usize::try_from(pages::page_size()).ok()?)?;
        let pointer = pages::map(capacity, pages::Access::ReadWrite)?;
        let fresh = vec![true; len.div_ceil(Self::PIECE)];
        Some(Self { pointer, len, capacity, mapped: true, fresh })
    }

    /// A pointer to `len` bytes at `offset`, poisoned where they are fresh and will be read; `None` past the end.
    ///
    /// The pointer is good for reads and writes of those bytes for as long as the backing lives.
    pub(super) fn reach(&mut self, offset: usize, len: usize, touch: Touch) -> Option<*mut u8> {
        let end = offset.checked_add(len).filter(|end| *end <= self.len)?;
        if len > 0 && !self.fresh.is_empty() {
            for piece in offset / Self::PIECE..=(end - 1) / Self::PIECE {
                let (start, stop) = (piece * Self::PIECE, ((piece + 1) * Self::PIECE).min(self.len));
                let Some(fresh) = self.fresh.get_mut(piece) else { continue };
                if !core::mem::take(fresh) || (touch == Touch::Overwrite && offset <= start && stop <= end) {
                    continue;
                }
                // SAFETY: `start < stop <= self.len`, which the invariant says is allocated.
                let piece = unsafe { self.pointer.add(start) };
                // SAFETY: as above.
                unsafe { piece.write_bytes(POISON, stop - start) };
            }
        }
        // SAFETY: `offset <= end <= self.len`, which the invariant says is allocated.
        Some(unsafe { self.pointer.add(offset) }.as_ptr())
    }
}

impl Drop for Backing {
    fn drop(&mut self) {
        if self.mapped {
            // SAFETY: by the invariant these are `capacity` mapped bytes that only this value used.
            unsafe { pages::unmap(self.pointer.as_ptr(), self.capacity) };
        } else if let Some(layout) = Self::layout(self.len) {
            // SAFETY: by the invariant the allocator gave this pointer with this layout.
            unsafe { alloc::dealloc(self.pointer.as_ptr(), layout) };
        }
    }
}
