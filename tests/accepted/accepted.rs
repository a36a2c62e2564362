//! Every `tests/ui/*/pass_*.rs` is a module of this one program, and each runs in a process of its own, with a driver of its
//! own: this program again, with the module's name in a variable. A program fails by its exit status (an error, a panic, a
//! signal) or by a word on stderr: that is where the process's simulated device reports what is wrong.
//!
//! `build.rs` makes the modules; `Cargo.toml` has the programs that cannot be modules.

#![allow(dead_code, clippy::all, reason = "the programs have what shapes they need")]

use std::env;
use std::process::{Command, ExitCode, Termination};

use libtest_mimic::{Arguments, Failed, Trial};

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

const PROGRAM: &str = "MEMCORE_TEST_ACCEPTED";

fn main() -> ExitCode {
    if let Some(name) = env::var_os(PROGRAM) {
        let (_, main) = PROGRAMS.iter().find(|&&(program, _)| name == program).unwrap();
        return main();
    }
    let trials = PROGRAMS.iter().map(|&(name, _)| Trial::test(name, move || run(name)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn run(name: &str) -> Result<(), Failed> {
    let output = Command::new(env::current_exe()?).env(PROGRAM, name).output()?;
    if output.status.success() && output.stderr.is_empty() {
        return Ok(());
    }
    Err(format!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into())
}
