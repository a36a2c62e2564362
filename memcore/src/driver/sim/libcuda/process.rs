//! The simulator that all functions of a process share, and how they call it.

use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::super::call::{Answer, Call};
use super::super::front::SimDriver;
use super::super::machine::Machine;
use super::super::options::SimOptions;
use super::super::place::Place;
use super::argument;
use super::caller;
use crate::error::Status;

/// Whether this process was forked off one that had called the driver: a driver is of no use to it.
static IS_FORKED: AtomicBool = AtomicBool::new(false);

/// The simulator, made by the first call, as the `MEMCORE_SIM_*` variables want it; `None` where one of them means
/// nothing, which is said then.
pub(super) fn driver() -> Option<&'static SimDriver> {
    static DRIVER: OnceLock<Option<Arc<SimDriver>>> = OnceLock::new();

    extern "C" fn note_fork() {
        IS_FORKED.store(true, Ordering::Relaxed);
    }

    let make = || match SimOptions::from_environment() {
        Ok(options) => {
            // A library may wait for an event before it has recorded it, which CUDA allows: cudarc does with every slice that
            // is new. Where an order is missing for it there is a race, which is told.
            let driver = SimDriver::of_process(SimOptions { unrecorded_event_checks: false, ..options });
            // SAFETY: the function takes nothing and does nothing that a new process may not.
            let _ = unsafe { libc::pthread_atfork(None, None, Some(note_fork)) };
            Some(Arc::new(driver))
        }
        Err(error) => {
            let _ = io::stderr().write_all(format!("simulated device: {error}\n").as_bytes());
            None
        }
    };
    DRIVER.get_or_init(make).as_deref()
}

/// What a call is known by: its entry point's symbol, its method, and whether its default stream is the thread's own.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    pub(super) symbol: &'static str,
    pub(super) method: &'static str,
    pub(super) is_per_thread: bool,
}

/// Has the machine do what a C function is called for, and returns its code.
pub(super) fn call(name: Name, is_usable: bool, body: &dyn Fn(&mut Machine, &Call) -> Answer) -> u32 {
    guard(|| {
        if IS_FORKED.load(Ordering::Relaxed) {
            return Err(Status::NOT_INITIALIZED);
        }
        let driver = driver().ok_or(Status::UNKNOWN)?;
        let call = Call {
            is_per_thread: name.is_per_thread,
            ..driver.called(name.symbol, name.method, Place::Stack(caller::stack()))
        };
        let refuse = |_: &mut Machine, _: &Call| Err(Status::INVALID_VALUE);
        match driver.call(&call, if is_usable { body } else { &refuse }) {
            Status::SUCCESS => Ok(()),
            // What the simulator was told to lack.
            Status::MISSING_SYMBOL => Err(Status::NOT_SUPPORTED),
            status => Err(status),
        }
    })
}

/// What a C function returns. Nothing unwinds into C: a panic has said what it is by now.
pub(super) fn guard(answer: impl FnOnce() -> Answer) -> u32 {
    argument::distrust();
    let answer = catch_unwind(AssertUnwindSafe(answer)).unwrap_or(Err(Status::UNKNOWN));
    answer.err().unwrap_or(Status::SUCCESS).0
}

/// The answer of a function that the simulated device has not, which is told of once.
pub(super) fn refuse(symbol: &'static str) -> u32 {
    static TOLD: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

    guard(|| {
        if TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(symbol)
            && let Some(driver) = driver()
        {
            driver.tell(&format_args!(
                "the program calls {symbol}, which there is none of here: CUDA_ERROR_NOT_SUPPORTED (801)"
            ));
        }
        Err(Status::NOT_SUPPORTED)
    })
}
