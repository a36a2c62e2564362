//! What a program's source says of itself: `//@ NAME=VALUE` is a variable that it runs with, and `//~ WORD…` says how a
//! report names that line, by a violation's kind for the operation that is wrong, or as its `other` line, or the `freed` one.

use std::fs;
use std::path::Path;

use crate::program::ROOT;
use crate::report::{Line, Report};

/// What is on a line that is not the operation that was wrong.
const ROLES: [&str; 2] = ["other", "freed"];

#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) module: String,
    pub(crate) variables: Vec<(String, String)>,
    /// Kinds and roles, each with its line.
    expected: Vec<(String, Line)>,
}

/// The modules of a folder, which is named from the repository's root.
pub(crate) fn all(folder: &str) -> Vec<Source> {
    let entries = fs::read_dir(Path::new(ROOT).join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    let modules = names.iter().filter_map(|name| name.strip_suffix(".rs")).filter(|module| *module != "mod");
    modules.map(|module| Source::read(folder, module)).collect()
}

impl Source {
    fn read(folder: &str, module: &str) -> Self {
        let file = format!("{folder}/{module}.rs");
        let text = fs::read_to_string(Path::new(ROOT).join(&file)).unwrap();
        let variables = text.lines().filter_map(|line| line.strip_prefix("//@ "));
        let variables = variables.map(|variable| variable.split_once('=').unwrap());
        let marks = text.lines().zip(1..).filter_map(|(line, number)| Some((line.split_once("//~ ")?.1, number)));
        let words = marks.flat_map(|(words, number)| words.split(' ').map(move |word| (word.to_owned(), number)));
        Self {
            module: module.to_owned(),
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            expected: words.map(|(word, number)| (word, (file.clone(), number))).collect(),
        }
    }

    /// The kinds of violations, in the order of their lines.
    pub(crate) fn kinds(&self) -> Vec<&str> {
        self.violations().map(|(kind, _)| kind.as_str()).collect()
    }

    fn violations(&self) -> impl Iterator<Item = &(String, Line)> {
        self.expected.iter().filter(|(word, _)| !ROLES.contains(&word.as_str()))
    }

    /// The report has what is expected, and nothing else.
    pub(crate) fn compare(&self, report: &Report) -> Result<(), String> {
        let mut found = Vec::new();
        let mut missing: Vec<_> = self.expected.iter().filter(|(word, _)| ROLES.contains(&word.as_str())).collect();
        for violation in &report.violations {
            let at = violation.lines.iter().filter(|(what, _)| what == "at");
            found.extend(at.map(|(_, line)| (violation.kind.clone(), line.clone())));
            missing.retain(|named| !violation.lines.contains(named));
        }
        found.sort();
        let mut expected: Vec<_> = self.violations().cloned().collect();
        expected.sort();
        if expected.is_empty() {
            return Err(format!("{} names no violation", self.module));
        }
        if found == expected && missing.is_empty() && found.len() == report.violations.len() {
            return Ok(());
        }
        Err(format!("expected {expected:?} and {missing:?}, found {found:?} in\n{report}"))
    }
}
