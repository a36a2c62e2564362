//! Programs of rustacuda, which is linked with `libcuda.so`.

#![deny(unsafe_code)]

mod correct;
mod mistakes;

use std::process::ExitCode;

fn main() -> ExitCode {
    programs::run(&[correct::PROGRAMS, mistakes::PROGRAMS])
}
