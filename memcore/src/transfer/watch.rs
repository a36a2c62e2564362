//! The thread that looks after transfers: it wakes tasks so that they ask again, and keeps the buffers of dropped
//! transfers.
//!
//! A callback of the driver's would wake sooner, but is not called any more when a context has failed: somebody has to
//! ask in any case.

use core::mem::forget;
use core::task::Waker;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// A transfer that was dropped in flight.
pub(super) trait Parked: Send {
    /// Whether its buffers have been dealt with.
    fn is_done(&mut self) -> bool;
}

#[derive(Default)]
struct Watched {
    wakers: Vec<Waker>,
    parked: Vec<Box<dyn Parked>>,
    has_thread: bool,
}

static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);
static MORE: Condvar = Condvar::new();

/// The shortest and the longest time between two looks: a short copy is done soon, and a long one can wait.
const SHORTEST: Duration = Duration::from_micros(20);
const LONGEST: Duration = Duration::from_millis(1);

fn lock() -> MutexGuard<'static, Option<Watched>> {
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner)
}

fn add(add: impl FnOnce(&mut Watched)) {
    let mut watched = lock();
    let watched = watched.get_or_insert_default();
    add(watched);
    if !watched.has_thread {
        watched.has_thread = thread::Builder::new().name("memcore transfers".into()).spawn(look).is_ok();
    }
    MORE.notify_one();
}

/// Wakes the task before long.
pub(super) fn wake_soon(waker: Waker) {
    add(|watched| watched.wakers.push(waker));
}

/// Keeps the transfer until it is done.
pub(super) fn park(transfer: Box<dyn Parked>) {
    add(|watched| watched.parked.push(transfer));
}

fn look() {
    let mut pause = SHORTEST;
    loop {
        let (wakers, parked) = {
            let mut watched = lock();
            loop {
                let now = watched.get_or_insert_default();
                if !now.wakers.is_empty() || !now.parked.is_empty() {
                    break (core::mem::take(&mut now.wakers), core::mem::take(&mut now.parked));
                }
                pause = SHORTEST;
                watched = MORE.wait(watched).unwrap_or_else(PoisonError::into_inner);
            }
        };
        thread::sleep(pause);
        pause = (pause * 2).min(LONGEST);
        // Nothing is locked while the program's wakers run, and the driver is asked.
        for waker in wakers {
            guarded(|| waker.wake());
        }
        let in_flight: Vec<_> = parked.into_iter().filter_map(in_flight).collect();
        lock().get_or_insert_default().parked.extend(in_flight);
    }
}

/// The transfer, unless it is done.
fn in_flight(mut transfer: Box<dyn Parked>) -> Option<Box<dyn Parked>> {
    match guarded(|| transfer.is_done()) {
        Some(false) => return Some(transfer),
        Some(true) => drop(guarded(|| drop(transfer))),
        // How far it came is not known: what it keeps is leaked.
        None => forget(transfer),
    }
    None
}

/// Runs what may call code of the program (a waker, a logger). If that panics, the thread goes on for the others.
fn guarded<R>(run: impl FnOnce() -> R) -> Option<R> {
    // What the panic carries is not dropped, which may panic again.
    catch_unwind(AssertUnwindSafe(run)).map_err(forget).ok()
}
