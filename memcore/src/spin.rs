//! Watching memory for what another thread or a device writes.

use core::hint::spin_loop;
use std::thread;
use std::time::{Duration, Instant};

/// A look at the clock takes as long as several at memory.
const LOOKS: u32 = 32;

/// After so long others are let run: what is watched for takes longer than it mostly does.
const ALERT: Duration = Duration::from_micros(200);

/// A watch, from its first look on.
#[derive(Debug, Default)]
pub(crate) struct Watch {
    looks: u32,
    since: Option<Instant>,
}

impl Watch {
    /// Passes a moment before the next look; whether there have been looks for as long as `patience`.
    pub(crate) fn is_longer_than(&mut self, patience: Duration) -> bool {
        spin_loop();
        self.looks = self.looks.wrapping_add(1);
        if !self.looks.is_multiple_of(LOOKS) {
            return false;
        }
        let time = self.since.get_or_insert_with(Instant::now).elapsed();
        if time > ALERT {
            thread::yield_now();
        }
        time > patience
    }
}

/// Looks until there is what is looked for, for so long; whether there was.
pub(crate) fn appears_within(patience: Duration, mut is_there: impl FnMut() -> bool) -> bool {
    let mut watch = Watch::default();
    loop {
        if is_there() {
            return true;
        }
        if watch.is_longer_than(patience) {
            return false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Watch, appears_within};
    use core::sync::atomic::{AtomicBool, Ordering};
    use std::thread;
    use std::time::{Duration, Instant};

    #[test]
    fn what_appears_is_seen_and_what_does_not_is_given_up() {
        let written = AtomicBool::new(false);
        let is_there = || written.load(Ordering::Acquire);
        thread::scope(|scope| {
            scope.spawn(|| written.store(true, Ordering::Release));
            assert!(appears_within(Duration::from_secs(60), is_there));
        });
        let start = Instant::now();
        assert!(!appears_within(Duration::from_millis(2), || false));
        assert!(start.elapsed() >= Duration::from_millis(2));
    }

    #[test]
    fn a_watch_begins_with_its_first_look() {
        let mut watch = Watch::default();
        assert!(!watch.is_longer_than(Duration::ZERO));
        while !watch.is_longer_than(Duration::ZERO) {}
    }
}
