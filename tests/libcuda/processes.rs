//! What befalls a process: forks, its end, memory that is closed, and a library that is.

use std::path::PathBuf;
use std::process::Output;
use std::sync::LazyLock;

use crate::children::{compiled, program, said};

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("processes::forked_before_the_driver_is_initialised", forked_early),
    ("processes::forked_and_at_fault", fault_in_child),
    ("processes::exit_handlers_have_contexts", at_exit),
    ("processes::memory_that_is_closed_in_flight", closed_in_flight),
    ("processes::the_library_stays", stays),
];

static PROCESS: LazyLock<PathBuf> = LazyLock::new(|| compiled("process", &["-g"]));

/// Runs the program; what it wrote to stdout, all it said, and how it ended.
fn run(what: &str) -> (String, String, Output) {
    let output = program(&PROCESS, &[what]).env("MEMCORE_SIM_STRICT", "1").output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), said(&output), output)
}

fn forked_early() {
    let (stdout, text, output) = run("fork_early");
    // The child's own violation, and its own exit status.
    assert_eq!(stdout, "asked 0 0 0 3\nbegan 0 0 0\nchild 1 signal 0\nbegan 0 0 0\n", "{text}");
    assert!(text.contains("[kind=double_free ") && text.contains("[violations=1]"), "{text}");
    assert_eq!(output.status.code(), Some(0), "{text}");
}

fn fault_in_child() {
    let (stdout, text, output) = run("fault_in_child");
    assert_eq!(stdout, format!("began 0 0 0\nchild 0 signal {}\n", libc::SIGSEGV), "{text}");
    // The parent's simulator is not asked.
    assert!(output.stderr.is_empty() && output.status.success(), "{text}");
}

fn at_exit() {
    let (stdout, text, output) = run("at_exit");
    assert_eq!(stdout, "began 0 0 0\nat exit 0 0 7 0 0\n", "{text}");
    assert!(output.stderr.is_empty() && output.status.success(), "{text}");
}

fn closed_in_flight() {
    let (stdout, text, output) = run("close_in_flight");
    let codes = "began 0 0 0\nregistered 0\nregistered 0\ncopied 0\ncopied 0\nsynchronized 0\n";
    assert_eq!(stdout, codes, "{text}");
    assert_eq!(text.matches("[kind=host_in_flight op=memcpy_dtoh ").count(), 2, "{text}");
    assert!(text.contains("and the host took it away before the stream was waited for"), "{text}");
    assert_eq!(output.status.code(), Some(2), "{text}");
}

fn stays() {
    // Not linked with it, so that closing it would take it away.
    let path = compiled("close", &["-Wl,--as-needed"]);
    let output = program(&path, &[]).output().unwrap();
    let text = said(&output);
    let turn = "current 0 same\nclosed 0\n";
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("began 0 0\n{}", turn.repeat(3)), "{text}");
    assert_eq!(output.status.code(), Some(42), "the program's own handler is called: {text}");
}
