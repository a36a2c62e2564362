//! The threads that look after transfers: one wakes tasks so that they ask again, one keeps the buffers of dropped
//! transfers. They are two since the second frees buffers and closes contexts, which may have to wait.
//!
//! A callback of the driver's would wake sooner, but is not called any more when a context has failed: somebody has to
//! ask in any case.

use core::mem::forget;
use core::task::Waker;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// The shortest and the longest time between two looks: a short copy is done soon, and a long one can wait.
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);

static TASKS: Queue<Task> = Queue::new("memcore wakers", Task::wake);
static PARKED: Queue<Box<dyn Parked>> = Queue::new("memcore transfers", in_flight);

/// A transfer that was dropped in flight.
pub(super) trait Parked: Send {
    /// Whether its buffers have been dealt with.
    fn is_done(&mut self) -> bool;
}

/// How many transfers are parked.
static PARKED_COUNT: Mutex<usize> = Mutex::new(0);
static FEWER_PARKED: Condvar = Condvar::new();

/// Keeps the transfer until it is done.
pub(super) fn park(transfer: Box<dyn Parked>) {
    *parked_count() += 1;
    // Without a thread it waits for the next one that is dropped.
    let _ = PARKED.add(transfer, SHORTEST);
}

/// Waits until no transfer is parked, or it has taken too long: one may stand behind what never ends.
pub(crate) fn wait_for_dropped() {
    const PATIENCE: Duration = Duration::from_secs(10);
    // Whether it took too long shows in what is leaked.
    drop(FEWER_PARKED.wait_timeout_while(parked_count(), PATIENCE, |count| *count > 0));
}

fn parked_count() -> MutexGuard<'static, usize> {
    PARKED_COUNT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The transfer, unless it is done.
fn in_flight(mut transfer: Box<dyn Parked>) -> Option<Box<dyn Parked>> {
    match guarded(|| transfer.is_done()) {
        Some(false) => return Some(transfer),
        Some(true) => drop(guarded(|| drop(transfer))),
        // How far it came is not known: what it keeps is leaked.
        None => forget(transfer),
    }
    *parked_count() -= 1;
    FEWER_PARKED.notify_all();
    None
}

/// The task that awaits a transfer.
#[derive(Clone, Default)]
pub(super) struct Task(Arc<Mutex<Awaiting>>);

#[derive(Default)]
struct Awaiting {
    /// `None` while it is not to be woken.
    waker: Option<Waker>,
    /// How long it was put off the last time.
    pause: Duration,
}

impl Task {
    /// Wakes the task before long. However often it asks, it is woken once.
    pub(super) fn wake_soon(&self, waker: &Waker) {
        // Cloned and dropped without the lock: both are the program's code.
        let waker = waker.clone();
        let (replaced, pause) = {
            let mut awaiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let replaced = awaiting.waker.replace(waker);
            if replaced.is_none() {
                awaiting.pause = (awaiting.pause * 2).clamp(SHORTEST, LONGEST);
            }
            (replaced, awaiting.pause)
        };
        if replaced.is_none() && !TASKS.add(self.clone(), pause) {
            // There is no thread to wake it later: it asks again at once.
            drop(self.clone().wake());
        }
    }

    fn wake(self) -> Option<Self> {
        let waker = self.0.lock().unwrap_or_else(PoisonError::into_inner).waker.take();
        guarded(|| waker.map(Waker::wake));
        None
    }
}

/// What a thread of its own looks at again and again, less and less often.
struct Queue<T: 'static> {
    name: &'static str,
    /// Deals with one; gives it back if it is to be looked at again.
    look: fn(T) -> Option<T>,
    waiting: Mutex<Waiting<T>>,
    more: Condvar,
}

struct Waiting<T> {
    entries: Vec<Entry<T>>,
    has_thread: bool,
}

struct Entry<T> {
    due: Instant,
    pause: Duration,
    item: T,
}

impl<T: Send> Queue<T> {
    const fn new(name: &'static str, look: fn(T) -> Option<T>) -> Self {
        let waiting = Mutex::new(Waiting { entries: Vec::new(), has_thread: false });
        Self { name, look, waiting, more: Condvar::new() }
    }

    /// Looks at an item when it is due; false where there is no thread to do it.
    fn add(&'static self, item: T, pause: Duration) -> bool {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.entries.push(Entry { due: Instant::now() + pause, pause, item });
        if !waiting.has_thread {
            let spawned = thread::Builder::new().name(self.name.into()).spawn(|| self.run());
            waiting.has_thread = spawned.is_ok();
        }
        self.more.notify_one();
        waiting.has_thread
    }

    /// Takes out what is due; waits until something is.
    fn next(&self) -> Vec<Entry<T>> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            let due: Vec<_> = waiting.entries.extract_if(.., |entry| entry.due <= now).collect();
            if !due.is_empty() {
                return due;
            }
            let next = waiting.entries.iter().map(|entry| entry.due - now).min();
            waiting = match next {
                Some(pause) => self.more.wait_timeout(waiting, pause).unwrap_or_else(PoisonError::into_inner).0,
                None => self.more.wait(waiting).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn run(&'static self) {
        loop {
            // Nothing is locked while the program's wakers run, and the driver is asked.
            for Entry { pause, item, .. } in self.next() {
                if let Some(item) = (self.look)(item) {
                    let _ = self.add(item, (pause * 2).min(LONGEST));
                }
            }
        }
    }
}

/// Runs what may call code of the program (a waker, a logger). If that panics, the thread goes on for the others.
fn guarded<R>(run: impl FnOnce() -> R) -> Option<R> {
    // What the panic carries is not dropped, which may panic again.
    catch_unwind(AssertUnwindSafe(run)).map_err(forget).ok()
}
