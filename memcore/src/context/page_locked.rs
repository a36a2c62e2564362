//! Which host memory memcore itself has page-locked, or made as unified memory: known without asking the driver, which takes
//! up to a microsecond for memory that it does not know.
//!
//! It decides how fast a copy is, and never whether it is right: memory that others page-locked is not listed, and what was
//! leaked stays listed.

use core::ptr::NonNull;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock, RwLockWriteGuard};

/// The length of each range, by its start.
static RANGES: RwLock<BTreeMap<usize, usize>> = RwLock::new(BTreeMap::new());

/// How many [`RANGES`] there are: with none, nobody has to look.
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// A range that is listed until this is dropped.
#[derive(Debug)]
pub(crate) struct Listed(usize);

impl Listed {
    pub(crate) fn new<T>(start: NonNull<T>, bytes: usize) -> Self {
        let start = start.addr().get();
        let mut ranges = write();
        ranges.insert(start, bytes);
        COUNT.store(ranges.len(), Ordering::Release);
        Self(start)
    }
}

impl Drop for Listed {
    fn drop(&mut self) {
        let mut ranges = write();
        ranges.remove(&self.0);
        COUNT.store(ranges.len(), Ordering::Release);
    }
}

fn write() -> RwLockWriteGuard<'static, BTreeMap<usize, usize>> {
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
    before.is_some_and(|(first, len)| len.checked_sub(start - first).is_some_and(|left| left >= bytes))
}

#[cfg(test)]
mod tests {
    use super::{Listed, is_listed};
    use core::ptr::NonNull;

    #[test]
    fn ranges_are_listed_as_a_whole_and_until_dropped() {
        let memory = [0_u8; 100];
        let part = |from: usize| memory[from..].as_ptr();
        let listed = Listed::new(NonNull::from(&memory[10]), 50);
        let asked = [(10, 50), (10, 51), (59, 1), (60, 0), (60, 1), (9, 1), (9, 51), (30, 30), (30, 31), (90, 1)];
        let answers = asked.map(|(from, bytes)| is_listed(part(from), bytes));
        assert_eq!(answers, [true, false, true, true, false, false, false, true, false, false]);
        drop(listed);
        assert!(!is_listed(part(10), 50));
    }
}
