//! The addresses of a simulated device: one reserved range, its lower half for device memory, its upper for managed.

use core::ops::Range;
use std::collections::VecDeque;

use super::pages::{self, Access};

/// Device allocations start at multiples of this.
pub(super) const ALIGNMENT: u64 = 512;

/// The reserved addresses of one device.
#[derive(Debug)]
pub(super) struct Space {
    /// INVARIANT: whole pages that `pages::map` gave, this value's own. Empty where the system let nothing be reserved:
    /// then every allocation is out of memory.
    range: Range<u64>,
    /// Never accessible to the host.
    pub(super) device: Half,
    /// INVARIANT: whole pages of the upper half; a block that it has handed out is put back only once it is closed.
    managed: Half,
    /// How many managed allocations are open. While any is, it may have an owner, also when the space goes.
    open: usize,
}

impl Space {
    /// The largest range asked for.
    const MAX_LEN: u64 = 1 << 40;
    /// The smallest asked for at first.
    const DEFAULT_LEN: u64 = 1 << 36;
    /// Below this a range is of no use.
    const MIN_LEN: u64 = 1 << 26;

    /// Reserves a range for a device of `memory` bytes: eight times as much, so that addresses are seldom used anew, or
    /// less where the system refuses that. Not more: a simulator whose memory was leaked keeps its range, and a process
    /// has room for some 128 TiB.
    pub(super) fn reserve(memory: u64) -> Self {
        let wanted = memory.saturating_mul(8).clamp(Self::DEFAULT_LEN, Self::MAX_LEN);
        let mut len = wanted.next_power_of_two();
        while len >= Self::MIN_LEN {
            if let Some(range) = Self::try_range(len) {
                return Self::new(range);
            }
            // A process with little room needs most of it itself: of the largest range to be had, take a quarter.
            len /= 2;
            if let Some(range) = Self::try_range(len) {
                drop(Self::new(range));
                len /= 4;
            }
        }
        log::error!("simulated device: no address range could be reserved; its allocations will be out of memory");
        Self::new(0..0)
    }

    fn try_range(len: u64) -> Option<Range<u64>> {
        let start = pages::map(usize::try_from(len).ok()?, Access::None)?.addr().get() as u64;
        Some(start..start + len)
    }

    fn new(range: Range<u64>) -> Self {
        let middle = range.start + (range.end - range.start) / 2;
        Self {
            device: Half::new(range.start..middle, ALIGNMENT, ALIGNMENT),
            managed: Half::new(middle..range.end, pages::page_size(), 0),
            range,
            open: 0,
        }
    }

    /// Opens managed memory of `size` bytes to the host; its address. `None` where there is no room for it.
    pub(super) fn open_managed(&mut self, size: u64) -> Option<u64> {
        let base = self.managed.take(size)?;
        // SAFETY: by the invariant of `managed` these are whole pages of the range that are not in use.
        if !unsafe { pages::open(base, pages::whole_pages(size)) } {
            self.managed.release(base, size);
            return None;
        }
        self.open += 1;
        Some(base)
    }

    /// Closes managed memory.
    ///
    /// # Safety
    ///
    /// [`Space::open_managed`] returned `base` for `size`, this is the first close since, and nothing uses the memory
    /// any more.
    pub(super) unsafe fn close_managed(&mut self, base: u64, size: u64) {
        // SAFETY: by this function's contract these are opened pages of the range, which nothing uses.
        unsafe { pages::close(base, pages::whole_pages(size)) };
        self.managed.release(base, size);
        self.open -= 1;
    }

    /// Whether there is managed memory.
    pub(super) const fn has_open(&self) -> bool {
        self.open > 0
    }

    /// The whole range.
    pub(super) fn range(&self) -> Range<u64> {
        self.range.clone()
    }
}

impl Drop for Space {
    fn drop(&mut self) {
        let end = if self.open > 0 { self.managed.range.start } else { self.range.end };
        let start = self.range.start;
        if let (Ok(len @ 1..), Ok(address)) = (usize::try_from(end.saturating_sub(start)), usize::try_from(start)) {
            // SAFETY: the pages are this space's own by its invariant. Of them only open managed memory can be in use,
            // and its half is left out where there is any.
            unsafe { pages::unmap(core::ptr::with_exposed_provenance_mut(address), len) };
        }
    }
}

/// Hands out addresses of a half: fresh ones while there are any, then those freed longest ago.
#[derive(Debug)]
pub(super) struct Half {
    range: Range<u64>,
    next: u64,
    unit: u64,
    gap: u64,
    /// Freed blocks, oldest first.
    freed: VecDeque<Range<u64>>,
}

impl Half {
    /// Blocks are multiples of `unit` long and aligned to it; `gap` bytes after each stay unused, so that an operation
    /// that runs past the end of one allocation does not land in the next.
    fn new(range: Range<u64>, unit: u64, gap: u64) -> Self {
        let next = range.start.checked_next_multiple_of(unit).unwrap_or(range.end);
        Self { range, next, unit, gap, freed: VecDeque::new() }
    }

    /// Bytes that a block of `size` takes, its gap included.
    fn extent(&self, size: u64) -> Option<u64> {
        size.checked_next_multiple_of(self.unit)?.checked_add(self.gap)
    }

    /// An unused address for `size` bytes.
    pub(super) fn take(&mut self, size: u64) -> Option<u64> {
        let extent = self.extent(size)?;
        if let Some(end) = self.next.checked_add(extent).filter(|end| *end <= self.range.end) {
            return Some(core::mem::replace(&mut self.next, end));
        }
        self.take_freed(extent).or_else(|| {
            self.merge();
            self.take_freed(extent)
        })
    }

    fn take_freed(&mut self, extent: u64) -> Option<u64> {
        let index = self.freed.iter().position(|block| block.end - block.start >= extent)?;
        let block = self.freed.get_mut(index)?;
        let address = block.start;
        block.start += extent;
        if block.start >= block.end {
            self.freed.remove(index);
        }
        Some(address)
    }

    /// Joins freed neighbours, when no single block is large enough.
    fn merge(&mut self) {
        let mut blocks: Vec<_> = self.freed.drain(..).collect();
        blocks.sort_unstable_by_key(|block| block.start);
        for block in blocks {
            match self.freed.back_mut() {
                Some(last) if last.end == block.start => last.end = block.end,
                _ => self.freed.push_back(block),
            }
        }
    }

    /// Takes back the block of `size` bytes at `address`.
    pub(super) fn release(&mut self, address: u64, size: u64) {
        let Some(end) = self.extent(size).and_then(|extent| address.checked_add(extent)) else { return };
        match self.freed.back_mut() {
            // Neighbours freed in a row stay one entry: a long run of small allocations costs nothing here.
            Some(last) if last.end == address => last.end = end,
            Some(last) if last.start == end => last.start = address,
            _ => self.freed.push_back(address..end),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Half;

    #[test]
    fn addresses_are_fresh_until_exhausted_then_oldest_first() {
        let mut half = Half::new(0x1000..0x2000, 0x200, 0x200);
        let blocks: Vec<_> = (0..4).map_while(|_| half.take(1)).collect();
        assert_eq!(blocks, [0x1000, 0x1400, 0x1800, 0x1c00]);
        assert_eq!(half.take(1), None);
        half.release(0x1800, 1);
        half.release(0x1000, 1);
        assert_eq!(half.take(1), Some(0x1800));
        assert_eq!(half.take(1), Some(0x1000));
        assert_eq!(half.take(1), None);
    }

    #[test]
    fn freed_neighbours_serve_a_larger_block() {
        let mut half = Half::new(0..0x1000, 0x200, 0x200);
        let blocks: Vec<_> = (0..4).map_while(|_| half.take(0x200)).collect();
        assert_eq!(blocks.len(), 4);
        for address in [0x400, 0xc00, 0, 0x800] {
            half.release(address, 0x200);
        }
        assert_eq!(half.take(0xe00), Some(0));
        assert_eq!(half.take(u64::MAX), None);
    }
}
