//! Where it is told what is wrong, and how the process ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::LazyLock;

use crate::Case;
use crate::children::{compiled, of_case, program, said};
use crate::library::Library;

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("reports::go_to_stderr_or_a_file", go_somewhere),
    ("reports::of_several_processes", of_several),
    ("reports::a_file_that_cannot_be_written", unwritable),
    ("reports::the_exit_status_is_the_count", exit_status),
    ("reports::leaks_are_counted_when_asked_for", leaks),
    ("reports::variables_that_mean_nothing", wrong_variables),
    ("reports::the_machine_that_variables_ask_for", machine),
    ("reports::a_forked_child_has_no_driver", forked),
    ("reports::of_a_program_of_memcore", of_memcore),
];

pub(crate) const CASES: &[Case] = &[("reports::memcore_program", memcore_program)];

static MISTAKES: LazyLock<PathBuf> = LazyLock::new(|| compiled("mistakes", &["-g"]));

/// Runs the program with these arguments and variables.
fn run(arguments: &str, variables: &[(&str, &str)]) -> Output {
    let arguments: Vec<_> = arguments.split(' ').collect();
    program(&MISTAKES, &arguments).envs(variables.iter().copied()).output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// A file that is not there yet.
fn fresh(name: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{name}-{}", std::process::id()));
    let _ = fs::remove_file(&file);
    file
}

fn go_somewhere() {
    let wrong = run("begin wrong", &[]);
    let text = stderr(&wrong);
    assert_eq!(wrong.status.code(), Some(0), "{text}");
    assert!(text.contains("simulated device: host-in-flight: "), "{text}");
    assert!(text.contains("[kind=host_in_flight op=memcpy_htod "), "{text}");
    assert!(text.ends_with("[violations=1]\n"), "{text}");
    assert_eq!(stderr(&run("begin right", &[])), "", "nothing is said where nothing is wrong");

    let file = fresh("file");
    let in_file = run("begin wrong", &[("MEMCORE_SIM_REPORT", file.to_str().unwrap())]);
    assert_eq!(stderr(&in_file), "");
    assert_eq!(fs::read_to_string(&file).unwrap(), text, "the same is in the file");
    fs::remove_file(&file).unwrap();
    let right = run("begin right", &[("MEMCORE_SIM_REPORT", file.to_str().unwrap())]);
    let said = fs::read_to_string(&file).unwrap();
    assert!(said.ends_with("[violations=0]\n") && right.status.success(), "{said}");
    fs::remove_file(&file).unwrap();
}

fn of_several() {
    let file = fresh("shared");
    for _ in 0..2 {
        run("begin wrong", &[("MEMCORE_SIM_REPORT", file.to_str().unwrap())]);
    }
    let text = fs::read_to_string(&file).unwrap();
    assert_eq!(text.matches("[violations=1]").count(), 2, "it is added to: {text}");
    fs::remove_file(&file).unwrap();

    let named = fresh("own-%p");
    let child = program(&MISTAKES, &["begin", "wrong"]).env("MEMCORE_SIM_REPORT", &named).spawn().unwrap();
    let own = named.to_str().unwrap().replace("%p", &child.id().to_string());
    child.wait_with_output().unwrap();
    assert!(fs::read_to_string(&own).unwrap().ends_with("[violations=1]\n"));
    fs::remove_file(own).unwrap();
}

fn unwritable() {
    let output = run("begin wrong", &[("MEMCORE_SIM_REPORT", "/nowhere/at/all")]);
    let text = stderr(&output);
    assert!(text.contains("MEMCORE_SIM_REPORT=/nowhere/at/all cannot be written: "), "{text}");
    assert!(text.contains("[kind=host_in_flight ") && text.ends_with("[violations=1]\n"), "{text}");
}

fn exit_status() {
    let strict = |arguments: &str| {
        let output = run(arguments, &[("MEMCORE_SIM_STRICT", "1")]);
        // What a program has written and not flushed is not lost.
        assert!(String::from_utf8_lossy(&output.stdout).contains("began 0\n"), "{}", said(&output));
        output.status.code()
    };
    assert_eq!(strict("begin right"), Some(0));
    assert_eq!(strict("begin right 3"), Some(3), "the program's own");
    assert_eq!(strict("begin wrong"), Some(1));
    assert_eq!(strict("begin free free free"), Some(2), "each of the frees after the first");
    assert_eq!(strict("begin wrong 3"), Some(1), "the count, whatever the program says");
    assert_eq!(strict("begin many"), Some(125), "at most");
    assert_eq!(run("begin wrong 3", &[("MEMCORE_SIM_STRICT", "0")]).status.code(), Some(3));
    assert_eq!(run("begin wrong 3", &[]).status.code(), Some(3));
    assert_eq!(run("5", &[("MEMCORE_SIM_STRICT", "1")]).status.code(), Some(5), "no driver was called");
}

fn leaks() {
    let output = run("begin", &[("MEMCORE_SIM_LEAKS", "1"), ("MEMCORE_SIM_STRICT", "1")]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(stderr(&output).contains("[kind=leak op=mem_alloc "), "{}", said(&output));
    let freed = run("begin free", &[("MEMCORE_SIM_LEAKS", "1"), ("MEMCORE_SIM_STRICT", "1")]);
    assert_eq!((freed.status.code(), stderr(&freed)), (Some(0), String::new()));
    assert_eq!(stderr(&run("begin", &[])), "", "not asked for");
}

fn wrong_variables() {
    let wrong = [
        ("MEMCORE_SIM_STRICT", "yes", "1 or 0"),
        ("MEMCORE_SIM_LEAKS", "2", "1 or 0"),
        ("MEMCORE_SIM_DEVICES", "33", "a number of devices from 0 to 32"),
        ("MEMCORE_SIM_ORDER", "soon", "lazy, eager or random:SEED"),
        ("MEMCORE_SIM_WITHOUT", "cuNothing", "driver functions"),
        ("MEMCORE_SIM_FAULTS", "nth:cuNothing:1", "faults such as"),
    ];
    for (variable, value, expected) in wrong {
        let output = run("begin", &[(variable, value)]);
        let text = said(&output);
        assert!(text.contains("began 999"), "{text}");
        assert!([variable, value, expected].iter().all(|part| text.contains(part)), "{text}");
    }
}

fn machine() {
    let stdout = |arguments: &str, variable: &str, value: &str| said(&run(arguments, &[(variable, value)]));
    assert!(stdout("begin devices", "MEMCORE_SIM_DEVICES", "2").contains("devices 2"));
    assert!(stdout("begin", "MEMCORE_SIM_DEVICES", "0").contains("began 100"), "no device");
    assert!(stdout("begin pool", "MEMCORE_SIM_WITHOUT", "pools").contains("pool 801"));
    assert!(stdout("begin pool", "MEMCORE_SIM_WITHOUT", "cuMemAllocAsync").contains("pool 801"));
    assert!(stdout("begin", "MEMCORE_SIM_FAULTS", "nth:cuMemAlloc_v2:1:2").contains("began 2"));
    // A function that memcore itself does not call.
    assert!(stdout("begin", "MEMCORE_SIM_FAULTS", "nth:cuStreamCreate:1:2").contains("stream 2"));
}

fn forked() {
    let output = run("begin fork", &[("MEMCORE_SIM_STRICT", "1"), ("MEMCORE_SIM_LEAKS", "1")]);
    // The child has code 3 from its calls, ends with it, and tells of nothing; the parent has its one leak.
    assert!(String::from_utf8_lossy(&output.stdout).contains("child 3"), "{}", said(&output));
    assert_eq!(stderr(&output).matches("[violations=").count(), 1, "{}", said(&output));
    assert_eq!(output.status.code(), Some(1));
    let before = run("fork begin", &[("MEMCORE_SIM_STRICT", "1")]);
    assert!(String::from_utf8_lossy(&before.stdout).contains("child 3"), "not initialised: {}", said(&before));
}

/// A program of memcore's that makes a mistake.
fn memcore_program(_: &Library) {
    use memcore::prelude::*;

    let memory = device_vec![0u8; 64].unwrap();
    std::mem::forget(memory);
}

fn of_memcore() {
    let ends = |variables: &[(&str, &str)]| {
        let mut child = of_case("reports::memcore_program");
        child.env("MEMCORE_DRIVER", "sim").envs(variables.iter().copied()).output().unwrap()
    };
    let asked = ends(&[("MEMCORE_SIM_LEAKS", "1"), ("MEMCORE_SIM_STRICT", "1")]);
    assert_eq!(asked.status.code(), Some(1), "{}", said(&asked));
    assert!(stderr(&asked).contains("[kind=leak ") && stderr(&asked).contains("reports.rs"), "{}", said(&asked));
    assert_eq!(ends(&[]).status.code(), Some(0));
}
