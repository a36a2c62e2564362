//! Processes of their own: this program again, for one case, or a C program.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::library::{self, Library};

/// Names the case that a child is to run.
const VARIABLE: &str = "MEMCORE_LIBCUDA_CASE";

/// What a child is: the case's end, in a process that was started for one.
pub(crate) fn run_if_child() -> Option<ExitCode> {
    let name = env::var(VARIABLE).ok()?;
    if let Some(symbols) = name.strip_prefix("untrusted ") {
        crate::untrusted::call_all(&Library::load(), symbols);
        return Some(ExitCode::SUCCESS);
    }
    let all: Vec<_> = crate::cases().into_iter().chain(crate::simulated_cases()).collect();
    let (_, case) = all.iter().find(|(of, _)| *of == name).unwrap_or_else(|| panic!("no case {name}"));
    case(&Library::load());
    Some(ExitCode::SUCCESS)
}

/// A child that is to run this case, of a simulator that no variable changes.
pub(crate) fn of_case(name: &str) -> Command {
    let mut command = Command::new(env::current_exe().unwrap());
    command.env(VARIABLE, name);
    clean(&mut command);
    command
}

/// Takes the variables away that would change a child.
fn clean(command: &mut Command) {
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("MEMCORE_SIM_") {
            command.env_remove(name);
        }
    }
}

/// Runs a case in a child, which is to succeed.
pub(crate) fn succeeds(name: &str) -> Result<(), String> {
    let output = of_case(name).output().unwrap();
    if output.status.success() { Ok(()) } else { Err(said(&output)) }
}

/// All that a child said, and how it ended.
pub(crate) fn said(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{}\n{out}{err}", output.status)
}

/// Compiles `tests/libcuda/programs/NAME.c`, linked with the library, with these flags; the program.
pub(crate) fn compiled(name: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/libcuda/programs")).join(format!("{name}.c"));
    static NEXT: AtomicU32 = AtomicU32::new(0);

    let own = format!("{name}-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(own);
    let mut command = Command::new(env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.args(["-std=gnu11", "-Wall", "-Wextra", "-Werror"]).args(flags).arg("-o").arg(&program).arg(source);
    command.arg("-L").arg(library::folder()).args(["-lcuda", "-pthread"]);
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", said(&output));
    program
}

/// A C program that is to run with the library, of a simulator that no variable changes.
pub(crate) fn program(path: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(path);
    command.args(arguments).env("LD_LIBRARY_PATH", library::folder());
    clean(&mut command);
    command
}
