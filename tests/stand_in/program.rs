//! The programs: built, found by their sources, and run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fmt, fs};

use libtest_mimic::Failed;

use crate::report::Report;
use crate::source::{self, Source};

/// The repository.
pub(crate) const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The workspace of the programs, from there: reports name files so.
const WORKSPACE: &str = "tests/stand_in";

/// Legal orders of queued work. What is correct is so in each.
pub(crate) const ORDERS: [&str; 4] = ["lazy", "eager", "random:1", "random:2"];

/// The target directory that this test was built in.
fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().to_owned()
}

/// Builds the simulated device's library and the programs, of which some are linked with it.
pub(crate) fn build() {
    let mut command = Command::new(Path::new(ROOT).join("scripts/with-sim"));
    command.args(["cargo", "build", "--quiet", "--locked", "--manifest-path"]).arg(format!("{WORKSPACE}/Cargo.toml"));
    // What cargo says to a test is not for the cargo that the script starts.
    command.current_dir(ROOT).env("CARGO_TARGET_DIR", target()).env_remove("RUSTFLAGS");
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}\n{}", said(&output));
}

/// A library's executable, with the simulated device in the place of the driver, as no variable changes it.
fn executable(library: &str) -> Command {
    let mut command = Command::new(target().join(format!("debug/stand-in-{library}")));
    clean(&mut command);
    command
}

/// Puts the simulated device in the place of the driver of a command, as no variable changes it.
pub(crate) fn clean(command: &mut Command) {
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("MEMCORE_") {
            command.env_remove(name);
        }
    }
    command.current_dir(ROOT).env("LD_LIBRARY_PATH", target().join("stand-in"));
}

/// What is reported of a command, which must succeed.
pub(crate) fn report_of(mut command: Command, name: &str) -> Result<Report, Failed> {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("stand-in-{name}-{}", std::process::id()));
    let output = command.env("MEMCORE_SIM_REPORT", &path).output()?;
    let report = fs::read_to_string(&path).unwrap_or_default();
    let _ = fs::remove_file(&path);
    if !output.status.success() {
        return Err(format!("{command:?}\n{}\n{report}", said(&output)).into());
    }
    Ok(Report::read(&report)?)
}

/// The executable has the programs whose sources are there.
pub(crate) fn lists_all(library: &'static str) -> Result<(), Failed> {
    let output = executable(library).output()?;
    let has: BTreeSet<_> = String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect();
    let there: BTreeSet<_> = all(library).iter().map(Program::argument).collect();
    if has == there { Ok(()) } else { Err(format!("{has:#?}\nand of sources\n{there:#?}").into()) }
}

/// One program.
pub(crate) struct Program {
    library: &'static str,
    function: &'static str,
    source: Source,
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.library, self.argument())
    }
}

/// The programs of a library.
pub(crate) fn all(library: &'static str) -> Vec<Program> {
    let mut all = Vec::new();
    for (sources, functions) in [(sources(library, "correct"), &["run"][..]), (mistakes(library), &["wrong", "right"])]
    {
        for source in sources {
            all.extend(functions.iter().map(|function| Program { library, function, source: source.clone() }));
        }
    }
    all
}

/// The sources of a library's mistakes.
pub(crate) fn mistakes(library: &str) -> Vec<Source> {
    sources(library, "mistakes")
}

fn sources(library: &str, group: &str) -> Vec<Source> {
    source::all(&format!("{WORKSPACE}/{library}/src/{group}"))
}

impl Program {
    /// What the executable calls it.
    fn argument(&self) -> String {
        format!("{}::{}", self.source.module, self.function)
    }

    /// Runs it, and compares the report with what the source says.
    pub(crate) fn check(&self) -> Result<(), Failed> {
        if self.function == "wrong" {
            return self.source.compare(&self.report(&[])?).map_err(Into::into);
        }
        for order in ORDERS {
            let report = self.report(&[("MEMCORE_SIM_ORDER", order), ("MEMCORE_SIM_LEAKS", "1")])?;
            if !report.violations.is_empty() {
                return Err(format!("MEMCORE_SIM_ORDER={order}\n{report}").into());
            }
        }
        Ok(())
    }

    /// What is reported of a run, which must succeed.
    fn report(&self, variables: &[(&str, &str)]) -> Result<Report, Failed> {
        let mut command = executable(self.library);
        command.arg(self.argument()).envs(variables.iter().copied()).envs(self.source.variables.iter().cloned());
        report_of(command, &self.to_string().replace("::", "-"))
    }
}

/// All that a child said, and how it ended.
fn said(output: &Output) -> String {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    format!("{}\n{out}{err}", output.status)
}
