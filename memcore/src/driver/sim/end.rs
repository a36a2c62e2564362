//! The end of the process: what its own simulator still has to say, and the exit status.

use core::mem;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use log::Level;

use super::options::Audience;
use super::shared::Shared;

/// The most that an exit status tells: what is above is for shells and signals.
const MAX_STATUS: usize = 125;

/// The process's simulator.
#[derive(Debug)]
struct Watched {
    simulator: Weak<Shared>,
    audience: Audience,
    /// A process that was forked off is not the one that is checked.
    process: u32,
}

static WATCHED: Mutex<Option<Watched>> = Mutex::new(None);

/// Has this simulator asked at the end of the process.
pub(super) fn watch(simulator: &Arc<Shared>, audience: Audience) {
    let watched = Watched { simulator: Arc::downgrade(simulator), audience, process: process::id() };
    *WATCHED.lock().unwrap_or_else(PoisonError::into_inner) = Some(watched);
}

/// Called by the C library when the program and all its exit handlers are done.
#[used]
// SAFETY: what lies in this section is called as such a function, with arguments that it may ignore.
#[unsafe(link_section = ".fini_array")]
static AT_EXIT: extern "C" fn() = {
    extern "C" fn at_exit() {
        // Nothing unwinds into C: whatever a logger does.
        let status = catch_unwind(AssertUnwindSafe(end)).map_err(mem::forget).ok().flatten();
        let Some(status) = status else { return };
        // SAFETY: without a stream it flushes all of them, as the C library would do next.
        let _ = unsafe { libc::fflush(core::ptr::null_mut()) };
        // SAFETY: ends the process, which is ending, with another status.
        unsafe { libc::_exit(status) }
    }
    at_exit
};

/// Ends the simulation; the status that the process is to have in the place of its own.
fn end() -> Option<i32> {
    let watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner).take()?;
    if watched.process != process::id() {
        return None;
    }
    let shared = watched.simulator.upgrade()?;
    // A thread that has it for good is one that does not end either.
    let mut machine = shared.try_lock_for(Duration::from_secs(1))?;
    let all = machine.graph.all();
    machine.run_ready(&all);
    if watched.audience.of_leaks {
        let _all_are_told = machine.check();
    }
    let count = machine.reports.count();
    shared.unlock(machine);
    if count > 0 || watched.audience.file.is_some() {
        shared.tell(Level::Error, &format_args!("the process ends\n[violations={count}]"));
    }
    let status = i32::try_from(count.min(MAX_STATUS)).unwrap_or(1);
    (watched.audience.by_exit_status && count > 0).then_some(status)
}
