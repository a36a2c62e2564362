//! One run of one test, with or without a call that fails.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions, Violation};

use crate::rig::Outcome;

/// A test on one device, or on two.
#[derive(Clone, Copy)]
pub(crate) enum Body {
    One(fn(&Context) -> Outcome),
    Two(fn(&Context, &Context) -> Outcome),
}

/// What came of a run.
pub(crate) struct Run {
    /// The error that the test, or what came before or after it, ended with.
    pub(crate) error: Option<String>,
    /// What it panicked with.
    pub(crate) panic: Option<String>,
    /// Frees that failed in a `Drop`.
    pub(crate) drop_errors: Vec<memcore::Error>,
    /// How often each driver function was called.
    pub(crate) calls: BTreeMap<&'static str, u64>,
    /// The calls that were made to fail.
    pub(crate) failures: Vec<Fault>,
    pub(crate) violations: Vec<Violation>,
    pub(crate) took: Duration,
}

impl Run {
    pub(crate) fn count(&self, entry: &str) -> u64 {
        self.calls.get(entry).copied().unwrap_or(0)
    }
}

/// What panicked last, in whatever thread: the tests' own panics are many.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Makes every run like every other.
pub(crate) fn prepare() {
    panic::set_hook(Box::new(|info| {
        let mut panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
        panics.truncate(1);
        panics.insert(0, info.to_string());
    }));
    // Whether there has been unified memory in the process decides which questions are asked.
    let sim = Sim::new(SimOptions::default());
    let made = sim.device(0).and_then(|device| UnifiedBuffer::<u8>::zeroed_in(&Context::new(&device)?, 1));
    drop(made);
}

/// What a run is to see to when the test has returned.
#[derive(Clone, Copy)]
pub(crate) struct After {
    /// The contexts work.
    pub(crate) works: bool,
    /// So long it waits for the threads that keep what was dropped in flight, and then for its contexts to be closed.
    pub(crate) patience: (Duration, Duration),
}

/// Runs a test on a simulator of its own.
pub(crate) fn run(body: Body, fault: Option<&Fault>, after: After) -> Run {
    let count = match body {
        Body::One(_) => 1,
        Body::Two(_) => 2,
    };
    let options = SimOptions::default().devices(count).memory_bytes(1 << 30);
    let sim = Sim::new(fault.into_iter().cloned().fold(options, SimOptions::fail));
    let mut contexts = Vec::new();
    let started = Instant::now();
    let ran = catch_unwind(AssertUnwindSafe(|| in_contexts(&sim, count, body, &mut contexts, after.works)));
    let (error, panic) = match ran {
        Ok(outcome) => (outcome.err(), None),
        Err(_) => (None, Some(PANICS.lock().unwrap_or_else(PoisonError::into_inner).join("\n"))),
    };
    for context in &contexts {
        // The events of copies are kept for the next one. That they are given back may fail, as all may.
        let _ = context.set_staging(context.staging());
    }
    // What was dropped in flight is kept by a thread of memcore's, and frees in these contexts.
    wait_until_done(&sim, after.patience.0, "cuEventCreate", "cuEventDestroy_v2");
    let drop_errors = contexts.iter().flat_map(Context::take_drop_errors).collect();
    drop(contexts);
    wait_until_done(&sim, after.patience.1, "cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2");
    let mut calls = BTreeMap::new();
    for entry in sim.calls() {
        *calls.entry(entry).or_default() += 1;
    }
    let (took, failures) = (started.elapsed(), sim.failures());
    Run { error, panic, drop_errors, calls, failures, violations: sim.finish(), took }
}

/// Runs a test in contexts of so many devices, and then sees that these work, if they are to.
fn in_contexts(sim: &Sim, count: u32, body: Body, contexts: &mut Vec<Context>, works: bool) -> Result<(), String> {
    let said = |error: memcore::Error| error.to_string();
    for ordinal in 0..count {
        let context = sim.device(ordinal).and_then(|device| Context::new(&device));
        contexts.push(context.map_err(said)?);
    }
    let outcome = {
        let _entered = contexts[0].enter();
        let outcome = match body {
            Body::One(test) => test(&contexts[0]),
            Body::Two(test) => test(&contexts[0], &contexts[1]),
        };
        // With the error goes what it holds, before anything waits for the context.
        outcome.map_err(|error| error.to_string())
    };
    for context in contexts.iter().filter(|_| works) {
        // One call fails, once: the second time all is well, if nothing was left in disorder.
        if let Err(error) = small_job(context) {
            small_job(context).unwrap_or_else(|again| panic!("after {error} the context is no more: {again}"));
            outcome?;
            return Err(said(error));
        }
    }
    outcome
}

/// What works on any context that is well.
fn small_job(context: &Context) -> memcore::Result<()> {
    context.synchronize()?;
    let mut dev = device_vec![in context; 1_u8, 2, 3]?;
    copy!(dev[..2] <- locked_vec![in context; 4_u8; 2]?)?;
    assert_eq!(dev.to_vec()?, [4, 4, 3]);
    Ok(())
}

/// Waits until as many have been destroyed as were made; not for ever, since a call that fails can keep it from coming.
fn wait_until_done(sim: &Sim, patience: Duration, make: &str, destroy: &str) {
    let started = Instant::now();
    let is_open = || {
        let calls = sim.calls();
        let count = |entry| calls.iter().filter(|call| **call == entry).count();
        count(destroy) < count(make)
    };
    while is_open() && started.elapsed() < patience {
        thread::sleep(Duration::from_micros(200));
    }
}
