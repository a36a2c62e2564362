//! Programs of other libraries, which know nothing of memcore, with the simulated device in the place of `libcuda.so.1`: see
//! `README.md` here. Correct ones get the right data and no report; of a mistake kind and line are reported.

mod program;
mod python;
mod readme;
mod report;
mod source;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};

/// The libraries of Rust, each a package of the workspace here.
const LIBRARIES: [&str; 3] = ["cudarc", "oxicuda", "rustacuda"];

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    if !arguments.list {
        program::build();
    }
    let mut trials = vec![Trial::test("readme", readme::says_what_the_programs_say)];
    for library in LIBRARIES {
        trials.push(Trial::test(format!("{library}::has_these_programs"), move || program::lists_all(library)));
        for program in program::all(library) {
            trials.push(Trial::test(program.to_string(), move || program.check()));
        }
    }
    trials.extend(python::trials());
    libtest_mimic::run(&arguments, trials).exit_code()
}
