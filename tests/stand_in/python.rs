//! The programs of `python/`, with `cuda-bindings`. Places are the interpreter's, so that kinds alone are compared.

use std::env;
use std::path::Path;
use std::process::Command;

use libtest_mimic::{Failed, Trial};

use crate::program::{ORDERS, ROOT, clean, report_of};

/// Names a Python that has `cuda-bindings`; without it the programs are not run.
const VARIABLE: &str = "STAND_IN_PYTHON";

/// The functions of `mistakes.py`, and what is reported of each.
pub(crate) const MISTAKES: [(&str, &str); 6] = [
    ("source_changed", "host_in_flight"),
    ("source_freed", "host_in_flight"),
    ("device_memory_freed", "use_after_free"),
    ("streams_not_ordered", "read_after_write"),
    ("stream_destroyed", "write_after_write"),
    ("never_written", "uninit_read"),
];

pub(crate) fn trials() -> Vec<Trial> {
    let is_there = env::var_os(VARIABLE).is_some();
    let mut trials = vec![Trial::test("python::correct", correct)];
    for (name, kind) in MISTAKES {
        trials.push(Trial::test(format!("python::{name}::wrong"), move || mistake(name, "wrong", &[kind])));
        trials.push(Trial::test(format!("python::{name}::right"), move || mistake(name, "right", &[])));
    }
    trials.into_iter().map(|trial| trial.with_ignored_flag(!is_there)).collect()
}

/// A program, with two devices.
fn program(file: &str, arguments: &[&str]) -> Result<Command, Failed> {
    // What is relative is so to the repository, as `.ci/run` has it.
    let python = Path::new(ROOT).join(env::var_os(VARIABLE).ok_or("no Python is named")?);
    let mut command = Command::new(python);
    clean(&mut command);
    command.arg(Path::new(ROOT).join("tests/stand_in/python").join(file)).args(arguments);
    command.env("MEMCORE_SIM_DEVICES", "2").env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}

fn correct() -> Result<(), Failed> {
    for order in ORDERS {
        let mut command = program("correct.py", &[])?;
        command.env("MEMCORE_SIM_ORDER", order).env("MEMCORE_SIM_LEAKS", "1");
        let report = report_of(command, "python-correct")?;
        if !report.violations.is_empty() {
            return Err(format!("MEMCORE_SIM_ORDER={order}\n{report}").into());
        }
    }
    Ok(())
}

fn mistake(name: &str, how: &str, expected: &[&str]) -> Result<(), Failed> {
    let report = report_of(program("mistakes.py", &[name, how])?, &format!("python-{name}-{how}"))?;
    let kinds: Vec<_> = report.violations.iter().map(|violation| violation.kind.as_str()).collect();
    if kinds == expected { Ok(()) } else { Err(format!("expected {expected:?}\n{report}").into()) }
}
