//! Every driver call of the conformance suite made to fail in turn.
//!
//! Each test runs once without a fault, on a simulator of its own that records the calls, and then once for each of them
//! with that call failing, once. Whatever fails, nothing panics, aborts or hangs, the simulator finds no violation, nothing
//! leaks but what could not be freed, an error names the call that failed, and the context works on.
//!
//! By default some of a test's calls are left out, by a seed, where it makes very many: `MEMCORE_SWEEP=full` leaves out none.

#![allow(clippy::print_stdout, reason = "the sweep says how much it did")]

#[path = "../conformance/advice.rs"]
mod advice;
#[path = "../conformance/array_copies.rs"]
mod array_copies;
#[path = "../conformance/array_model.rs"]
mod array_model;
#[path = "../conformance/arrays.rs"]
mod arrays;
#[path = "../conformance/boxes.rs"]
mod boxes;
#[path = "../conformance/buffers.rs"]
mod buffers;
#[path = "../conformance/check.rs"]
mod check;
#[path = "../conformance/contexts.rs"]
mod contexts;
#[path = "../conformance/copies.rs"]
mod copies;
#[path = "../conformance/devices.rs"]
mod devices;
#[path = "../conformance/fills.rs"]
mod fills;
#[path = "../conformance/functions.rs"]
mod functions;
#[path = "../conformance/in_order.rs"]
mod in_order;
#[path = "../conformance/lists.rs"]
mod lists;
#[path = "../conformance/locked.rs"]
mod locked;
#[path = "../conformance/locked_large.rs"]
mod locked_large;
#[path = "../conformance/model.rs"]
mod model;
#[path = "../conformance/moves.rs"]
mod moves;
#[path = "../conformance/peers.rs"]
mod peers;
#[path = "../conformance/pools.rs"]
mod pools;
#[path = "../conformance/questions.rs"]
mod questions;
#[path = "../conformance/registered.rs"]
mod registered;
mod rig;
mod rules;
mod run;
#[path = "../conformance/scope_endings.rs"]
mod scope_endings;
#[path = "../conformance/scopes.rs"]
mod scopes;
#[path = "../conformance/slices.rs"]
mod slices;
#[path = "../conformance/staging.rs"]
mod staging;
#[path = "../conformance/streams.rs"]
mod streams;
#[path = "../conformance/suite.rs"]
mod suite;
mod sweep;
#[path = "../conformance/temporaries.rs"]
mod temporaries;
#[path = "../conformance/threads.rs"]
mod threads;
#[path = "../conformance/traits.rs"]
mod traits;
#[path = "../conformance/transfers.rs"]
mod transfers;
#[path = "../conformance/unified.rs"]
mod unified;
#[path = "../conformance/unified_copies.rs"]
mod unified_copies;
#[path = "../conformance/variable.rs"]
mod variable;
#[path = "../conformance/view_model.rs"]
mod view_model;
#[path = "../conformance/views.rs"]
mod views;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

use run::Body;
use sweep::{DEATHS, FAILURES, RANDOM, Sweep};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    run::prepare();
    let one = suite::one_device().into_iter().map(|(name, test)| (name, Body::One(test)));
    let two = devices::TESTS.iter().chain(peers::TESTS).map(|&(name, test)| (name, Body::Two(test)));
    let tests: Vec<_> = one.chain(two).collect();
    let sweep = |sweep: &'static Sweep, kind: &str| {
        let trial = |&(name, body)| Trial::test(name, move || sweep.every_call(name, body)).with_kind(kind);
        tests.iter().map(trial).collect::<Vec<_>>()
    };
    let random =
        |&(name, body)| Trial::test(name, move || RANDOM.some_seeds(name, body)).with_kind("calls fail at random");
    let trials = [sweep(&FAILURES, "a call fails"), sweep(&DEATHS, "the context dies")].into_iter().flatten();
    let conclusion = libtest_mimic::run(&arguments, trials.chain(tests.iter().map(random)).collect());
    println!("{}\n{}\n{}", FAILURES.summary(), DEATHS.summary(), RANDOM.summary());
    conclusion.exit_code()
}
