//! The simulator that all functions of a process share, and how they call it.

use core::ffi::c_int;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, Once, OnceLock, PoisonError};

use super::super::call::{Answer, Call};
use super::super::front::SimDriver;
use super::super::machine::Machine;
use super::super::options::SimOptions;
use super::super::place::Place;
use super::argument;
use super::caller;
use crate::error::Status;

/// Whether the driver is initialised in this process, or was in the one that it was forked off from.
static IS_INITIALISED: AtomicBool = AtomicBool::new(false);
/// Whether this process was forked off one that had initialised the driver, which is of no use to it then.
static IS_FORKED: AtomicBool = AtomicBool::new(false);

/// The simulator, if it could be made.
type Own = OnceLock<Option<SimDriver>>;

/// Null until the first call; kept for ever.
static OWN: AtomicPtr<Own> = AtomicPtr::new(ptr::null_mut());

/// In a process that was forked off: one whose parent had only asked for functions and the like begins anew, and does not meet
/// what threads of the parent were at.
extern "C" fn begin_anew() {
    if IS_INITIALISED.load(Ordering::Relaxed) {
        IS_FORKED.store(true, Ordering::Relaxed);
    } else {
        OWN.store(ptr::null_mut(), Ordering::Relaxed);
    }
}

/// This process's place for its simulator.
fn own() -> &'static Own {
    static ONCE: Once = Once::new();

    ONCE.call_once(|| {
        // SAFETY: the function takes nothing, and does nothing that a new process may not.
        let _ = unsafe { libc::pthread_atfork(None, None, Some(begin_anew)) };
    });
    // SAFETY: null, or from `into_raw` below, and never freed then.
    if let Some(own) = unsafe { OWN.load(Ordering::Acquire).as_ref() } {
        return own;
    }
    let new = Box::into_raw(Box::<Own>::default());
    match OWN.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
        // SAFETY: from `into_raw`, and never freed.
        Ok(_) => unsafe { &*new },
        Err(first) => {
            // SAFETY: from `into_raw`, and nobody else has it.
            drop(unsafe { Box::from_raw(new) });
            // SAFETY: not null, so from another thread's `into_raw`, and never freed.
            unsafe { &*first }
        }
    }
}

/// The simulator, made by the first call, as the `MEMCORE_SIM_*` variables want it; `None` where one of them means
/// nothing, which is said then.
pub(super) fn driver() -> Option<&'static SimDriver> {
    let make = || match SimOptions::from_environment() {
        // A library may wait for an event before it has recorded it, which CUDA allows: cudarc does with every slice that
        // is new. Where an order is missing for it there is a race, which is told.
        Ok(options) => Some(SimDriver::of_process(SimOptions { unrecorded_event_checks: false, ..options })),
        Err(error) => {
            let _ = io::stderr().write_all(format!("simulated device: {error}\n").as_bytes());
            None
        }
    };
    own().get_or_init(make).as_ref()
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
            Status::SUCCESS => {
                if name.symbol == "cuInit" {
                    IS_INITIALISED.store(true, Ordering::Relaxed);
                }
                Ok(())
            }
            // What the simulator was told to lack.
            Status::MISSING_SYMBOL => Err(Status::NOT_SUPPORTED),
            status => Err(status),
        }
    })
}

unsafe extern "C" {
    /// Whether a thread may be cancelled, and whether it might before.
    fn pthread_setcancelstate(state: c_int, before: *mut c_int) -> c_int;
}

/// `PTHREAD_CANCEL_DISABLE`.
const CANCEL_DISABLE: c_int = 1;

/// What a C function returns. Nothing unwinds into C: a panic has said what it is by now. Nor does what ends a thread that is
/// cancelled, as a report may be written, unwind through here: it waits until the call is over.
pub(super) fn guard(answer: impl FnOnce() -> Answer) -> u32 {
    argument::distrust();
    let mut before = 0;
    // SAFETY: there is room for the state.
    let _ = unsafe { pthread_setcancelstate(CANCEL_DISABLE, &raw mut before) };
    let answer = catch_unwind(AssertUnwindSafe(answer)).unwrap_or(Err(Status::UNKNOWN));
    // SAFETY: the state before, and nobody asks for this one.
    let _ = unsafe { pthread_setcancelstate(before, ptr::null_mut()) };
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
