//! Where a report says that a program did what is wrong.

use std::fs;
use std::process::Command;

use crate::children::{compiled, program, said};

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("places::are_lines_of_the_program", lines),
    ("places::are_of_the_file_where_no_line_is_known", no_lines),
    ("places::are_the_program_s_through_a_library", through_library),
];

/// The line of a program's source that is wrong.
fn wrong_line(name: &str) -> usize {
    let source = format!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/libcuda/programs/{}.c"), name);
    let source = fs::read_to_string(source).unwrap();
    source.lines().position(|line| line.contains("/* the wrong one */")).unwrap() + 1
}

/// Where a program is told that it did what is wrong, and all that it said.
fn told(mut program: Command) -> (String, String) {
    let text = said(&program.output().unwrap());
    let at = text.lines().find(|line| line.starts_with("  at ")).unwrap_or_else(|| panic!("{text}"));
    (at.to_owned(), text)
}

fn lines() {
    let place = format!("programs/mistakes.c:{}", wrong_line("mistakes"));
    for flags in [&["-g"][..], &["-g", "-O2"]] {
        let (at, text) = told(program(&compiled("mistakes", flags), &["begin", "wrong"]));
        assert!(at.contains(&place), "{text}");
    }
}

fn no_lines() {
    let path = compiled("mistakes", &["-s"]);
    let (at, text) = told(program(&path, &["begin", "wrong"]));
    assert!(at.contains(&format!("{}+0x", path.file_name().unwrap().display())), "{text}");
    assert!(!text.contains("(through "), "what called the program is no way to the driver: {text}");
}

fn through_library() {
    let helper = compiled("helper", &["-shared", "-fPIC", "-s"]);
    let helper = helper.to_str().unwrap();
    let (at, text) = told(program(&compiled("helped", &["-g", "-Wl,--no-as-needed", helper]), &[]));
    assert!(at.contains(&format!("programs/helped.c:{}", wrong_line("helped"))), "{text}");
    // Without lines of the program the innermost file is the place.
    let (at, text) = told(program(&compiled("helped", &["-s", "-Wl,--no-as-needed", helper]), &[]));
    assert!(at.contains(&format!("{helper}+0x")) && at.contains(", helper_free"), "{text}");
}
