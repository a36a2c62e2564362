//! Where a report says that a program did what is wrong.

use std::fs;

use crate::children::{compiled, program, said};

pub(crate) const TESTS: &[(&str, fn())] =
    &[("places::are_lines_of_the_program", lines), ("places::are_of_the_file_where_no_line_is_known", no_lines)];

fn lines() {
    let source = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/libcuda/programs/mistakes.c")).unwrap();
    let line = source.lines().position(|line| line.contains("/* the wrong one */")).unwrap() + 1;
    for flags in [&["-g"][..], &["-g", "-O2"]] {
        let output = program(&compiled("mistakes", flags), &["begin", "wrong"]).output().unwrap();
        let text = said(&output);
        let at = text.lines().find(|line| line.starts_with("  at ")).unwrap_or_else(|| panic!("{text}"));
        assert!(at.contains(&format!("programs/mistakes.c:{line}")), "{text}");
    }
}

fn no_lines() {
    let path = compiled("mistakes", &["-s"]);
    let text = said(&program(&path, &["begin", "wrong"]).output().unwrap());
    let at = text.lines().find(|line| line.starts_with("  at ")).unwrap_or_else(|| panic!("{text}"));
    assert!(at.contains(&format!("{}+0x", path.file_name().unwrap().display())), "{text}");
}
