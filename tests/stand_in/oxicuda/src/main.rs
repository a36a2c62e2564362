//! Programs of oxicuda-memory, with the contexts and streams of oxicuda-driver.

#![deny(unsafe_code)]

mod context;
mod correct;
mod mistakes;

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::run(&[correct::PROGRAMS, mistakes::PROGRAMS])
}
