//! One suite for both drivers: every test runs on the simulated device, where each has a simulator of its own that must
//! find no violation, and unchanged on a GPU. `MEMCORE_DRIVER` chooses; see `docs/gpu.md`.

#![allow(clippy::print_stdout, reason = "the suite says what it ran on")]

mod advice;
mod array_copies;
mod array_model;
mod arrays;
mod boxes;
mod buffers;
mod check;
mod contexts;
mod copies;
mod devices;
mod fills;
mod functions;
mod in_order;
mod lists;
mod locked;
mod locked_large;
mod model;
mod moves;
mod peers;
mod pools;
mod questions;
mod registered;
mod rig;
mod scope_endings;
mod scopes;
mod slices;
mod staging;
mod streams;
mod suite;
mod temporaries;
mod threads;
mod traits;
mod transfers;
mod unified;
mod unified_copies;
mod variable;
mod view_model;
mod views;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    let rig = match rig::Rig::new() {
        Ok(rig) => rig,
        Err(error) => {
            println!("the conformance suite found no driver: {error}");
            return ExitCode::FAILURE;
        }
    };
    let one = suite::one_device().into_iter().map(|(name, test)| Trial::test(name, move || rig.run(test)));
    let two = devices::TESTS
        .iter()
        .chain(peers::TESTS)
        .map(|&(name, test)| Trial::test(name, move || rig.run_on_two(test)).with_ignored_flag(!rig.has_two_devices()));
    let trials: Vec<Trial> = one.chain(two).collect();
    if !rig.is_simulated() {
        // The tests share one GPU, and some ask how much memory is free.
        arguments.test_threads = Some(1);
    }
    println!("memcore conformance on {rig}: {} tests", trials.len());
    libtest_mimic::run(&arguments, trials).exit_code()
}
