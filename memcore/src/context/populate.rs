//! Work on much host memory, by the threads of a context.

use core::ptr::with_exposed_provenance_mut;
use core::sync::atomic::{AtomicU8, Ordering};

use super::inner::Inner;
use crate::pages::{self, Populated};

/// What a thread does at a time, at least: less is done before another thread has begun.
const PART: usize = 4 << 20;

/// The most parts: several for each thread, so that all end at about the same time.
const MOST_PARTS: usize = 32;

impl Inner {
    /// Has threads do pieces of the `len` bytes from `start` on, each from where a huge page can start; `work` is told where its
    /// piece begins and how long it is.
    pub(super) fn in_parts<T>(&self, start: *mut T, len: usize, work: impl Fn(*mut u8, usize) + Sync) {
        let start = start.expose_provenance();
        let parts = (len / PART).clamp(1, MOST_PARTS);
        let before = start % pages::HUGE_PAGE;
        let each = (before + len).div_ceil(parts).next_multiple_of(pages::HUGE_PAGE);
        let cut = |part: usize| (part * each).saturating_sub(before).min(len);
        let piece = |part: usize| {
            let begin = cut(part);
            work(with_exposed_provenance_mut(start + begin), cut(part + 1) - begin);
        };
        self.crew().run(self.staging().most_threads(), parts, &piece);
    }

    /// Has the system find the whole pages among the `len` bytes from `start` on, as writes to them would. What the memory
    /// holds stays as it is.
    pub(crate) fn populate_in_parts<T>(&self, start: *mut T, len: usize) -> Populated {
        let worst = AtomicU8::new(Populated::All as u8);
        self.in_parts(start, len, |start, len| {
            worst.fetch_max(pages::populate(start, len) as u8, Ordering::Relaxed);
        });
        match worst.into_inner() {
            0 => Populated::All,
            1 => Populated::Unknown,
            _ => Populated::NoMemory,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_PARTS, PART};
    use crate::context::Context;
    use crate::driver::sim::{Sim, SimOptions};
    use crate::pages::HUGE_PAGE;
    use std::sync::Mutex;

    /// The pieces are the whole, and meet where huge pages do.
    #[test]
    fn pieces_meet_at_huge_pages() {
        let sim = Sim::new(SimOptions::default());
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        for before in [0, 1, HUGE_PAGE - 1] {
            let first = 64 * HUGE_PAGE + before;
            for len in [0, 1, PART, 2 * PART, 2 * PART + 1, 3 * PART - 1, (MOST_PARTS + 1) * PART] {
                let pieces = Mutex::new(Vec::new());
                context.inner.in_parts(core::ptr::without_provenance_mut::<u8>(first), len, |start, len| {
                    pieces.lock().unwrap().push((start.addr(), len));
                });
                let mut pieces = pieces.into_inner().unwrap();
                assert_eq!(pieces.len(), (len / PART).clamp(1, MOST_PARTS));
                pieces.retain(|(_, len)| *len > 0);
                pieces.sort_unstable();
                let mut end = first;
                for (number, (start, len)) in pieces.into_iter().enumerate() {
                    assert!(start == end && (number == 0 || start % HUGE_PAGE == 0), "{before} {number}");
                    end += len;
                }
                assert_eq!(end, first + len);
            }
        }
    }
}
