//! One executable holds all programs of a library; its argument says which one runs.

use std::error::Error;
use std::process::ExitCode;

/// What a program ends with.
pub type Outcome = Result<(), Box<dyn Error>>;

/// A program and its name.
pub type Program = (&'static str, fn() -> Outcome);

/// Runs the program that the first argument names; without one it lists them.
pub fn run(lists: &[&[Program]]) -> ExitCode {
    let programs = || lists.iter().copied().flatten();
    let Some(wanted) = std::env::args().nth(1) else {
        programs().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    let Some((_, program)) = programs().find(|(name, _)| *name == wanted) else {
        eprintln!("no program is called {wanted}");
        return ExitCode::from(2);
    };
    match program() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{wanted}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Modules of correct programs, each with a function `run`.
#[macro_export]
macro_rules! correct {
    ($($module:ident),+ $(,)?) => {
        $(mod $module;)+
        /// Every program.
        pub const PROGRAMS: &[$crate::Program] = &[$((concat!(stringify!($module), "::run"), $module::run)),+];
    };
}

/// Modules of mistakes, each with the program that makes it, `wrong`, and the corrected one, `right`.
#[macro_export]
macro_rules! mistakes {
    ($($module:ident),+ $(,)?) => {
        $(mod $module;)+
        /// Every program.
        pub const PROGRAMS: &[$crate::Program] = &[$(
            (concat!(stringify!($module), "::wrong"), $module::wrong),
            (concat!(stringify!($module), "::right"), $module::right),
        )+];
    };
}
