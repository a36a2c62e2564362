//! The simulated device as a library with the driver's C functions (`docs/stand-in.md`), as a program meets it. The cases of
//! `semantics` and `proc_address` are true of the driver too: `MEMCORE_LIBCUDA=libcuda.so.1` runs them there.

#![allow(clippy::print_stdout, reason = "children say what they did")]

mod children;
mod library;
mod per_thread;
mod places;
mod proc_address;
mod processes;
mod reports;
mod semantics;
mod symbols;
mod threads;
mod untrusted;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// A case of its own process, by its name.
type Case = (&'static str, fn(&library::Library));

/// The cases that are true of every driver.
fn cases() -> Vec<Case> {
    [proc_address::CASES, semantics::CASES].concat()
}

/// Those of the simulated device alone.
fn simulated_cases() -> Vec<Case> {
    [per_thread::CASES, reports::CASES].concat()
}

/// Tests that look at the library from outside.
fn tests() -> Vec<(String, fn())> {
    let all =
        [symbols::TESTS, reports::TESTS, places::TESTS, per_thread::TESTS, processes::TESTS, threads::TESTS].concat();
    all.into_iter().map(|(name, test)| (name.to_owned(), test)).collect()
}

fn main() -> ExitCode {
    if let Some(code) = children::run_if_child() {
        return code;
    }
    let arguments = Arguments::from_args();
    let is_simulated = library::is_simulated();
    if is_simulated && !arguments.list {
        library::build();
    }
    let run = |(name, _): &Case| {
        let name = *name;
        Trial::test(name, move || children::succeeds(name).map_err(Into::into))
    };
    let mut trials: Vec<_> = cases().iter().map(run).collect();
    trials.extend(tests().into_iter().map(|(name, test)| {
        let test = move || {
            test();
            Ok(())
        };
        Trial::test(name, test).with_ignored_flag(!is_simulated)
    }));
    trials.extend(untrusted::trials().into_iter().map(|trial| trial.with_ignored_flag(!is_simulated)));
    libtest_mimic::run(&arguments, trials).exit_code()
}
