//! Programs of cudarc.

#![deny(unsafe_code)]

mod allocate;
mod correct;
mod mistakes;
mod wait;

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::run(&[correct::PROGRAMS, mistakes::PROGRAMS])
}
