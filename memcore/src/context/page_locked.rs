//! Which host memory memcore itself has page-locked, or made as unified memory: known without asking the driver, which takes
//! up to a microsecond for memory that it does not know.
//!
//! It decides how fast a copy is, and never whether it is right: memory that others page-locked is not listed, and what was
//! leaked stays listed. That is why it is not the table of memcore's mappings (`mapping.rs`): that one has them by value, decides
//! what a free does, and only frees look at it, where each copy looks here, and readers do not wait for one another.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

/// The length of each range, by its start, and its number: memory is freed before it is taken off the list, and may be
/// somebody else's by then.
static RANGES: RwLock<BTreeMap<usize, (usize, u32)>> = RwLock::new(BTreeMap::new());

static NEXT: AtomicU32 = AtomicU32::new(0);

/// How many [`RANGES`] there are: with none, nobody has to look.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A range that is listed until this is dropped.
#[derive(Debug)]
pub(crate) struct Listed {
    start: NonNull<c_void>,
    number: u32,
}

impl Listed {
    pub(crate) fn new(start: NonNull<c_void>, bytes: usize) -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let mut ranges = write();
        ranges.insert(start.addr().get(), (bytes, number));
        COUNT.store(ranges.len(), Ordering::Release);
        Self { start, number }
    }

    pub(crate) fn start(&self) -> NonNull<c_void> {
        self.start
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut ranges = write();
        let start = self.start.addr().get();
        if ranges.get(&start).is_some_and(|(_, number)| *number == self.number) {
            ranges.remove(&start);
        }
        COUNT.store(ranges.len(), Ordering::Release);
    }
}

/// The range that starts there, if there is one, is page-locked no more.
pub(super) fn unlist(start: *const c_void) {
    let mut ranges = write();
    ranges.remove(&start.addr());
    COUNT.store(ranges.len(), Ordering::Release);
}

fn write() -> RwLockWriteGuard<'static, BTreeMap<usize, (usize, u32)>> {
    RANGES.write().unwrap_or_else(PoisonError::into_inner)
}

/// Whether the memory from `start` on, `bytes` long, is all in one listed range.
pub(crate) fn is_listed<T>(start: *const T, bytes: usize) -> bool {
    if COUNT.load(Ordering::Acquire) == 0 {
        return false;
    }
    let start = start.addr();
    let ranges = RANGES.read().unwrap_or_else(PoisonError::into_inner);
    let before = ranges.range(..=start).next_back();
    before.is_some_and(|(first, (len, _))| len.checked_sub(start - first).is_some_and(|left| left >= bytes))
}

#[cfg(test)]
mod tests {
    use super::{Listed, is_listed, unlist};
    use core::ptr::NonNull;

    #[test]
    fn ranges_are_listed_as_a_whole_and_until_dropped() {
        let memory = [0_u8; 100];
        let part = |from: usize| memory[from..].as_ptr();
        let listed = Listed::new(NonNull::from(&memory[10]).cast(), 50);
        let asked = [(10, 50), (10, 51), (59, 1), (60, 0), (60, 1), (9, 1), (9, 51), (30, 30), (30, 31), (90, 1)];
        let answers = asked.map(|(from, bytes)| is_listed(part(from), bytes));
        assert_eq!(answers, [true, false, true, true, false, false, false, true, false, false]);
        // The same memory has been freed and listed anew before it is taken off.
        let again = Listed::new(NonNull::from(&memory[10]).cast(), 20);
        drop(listed);
        assert!(is_listed(part(10), 20) && !is_listed(part(10), 21));
        unlist(part(10).cast());
        assert!(!is_listed(part(10), 1));
        drop(again);
    }
}
