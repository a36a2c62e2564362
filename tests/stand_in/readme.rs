//! The README's table against the programs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use libtest_mimic::Failed;

use crate::program::{self, ROOT};

/// A row names each mistake, its library and what is reported.
pub(crate) fn says_what_the_programs_say() -> Result<(), Failed> {
    let text = fs::read_to_string(Path::new(ROOT).join("tests/stand_in/README.md"))?;
    let mut rows = BTreeSet::new();
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(str::trim).collect();
        if let [library, _, _, program, kinds] = cells[..]
            && let Some(program) = program.strip_prefix('`')
        {
            rows.insert((library.to_owned(), program.trim_end_matches('`').to_owned(), kinds.replace('`', "")));
        }
    }
    let mut there = BTreeSet::new();
    for library in crate::LIBRARIES {
        for mistake in program::mistakes(library) {
            there.insert((library.to_owned(), mistake.module.clone(), mistake.kinds().join(", ")));
        }
    }
    let of_python = crate::python::MISTAKES.iter();
    there.extend(of_python.map(|(name, kind)| ("python".to_owned(), (*name).to_owned(), (*kind).to_owned())));
    if rows == there { Ok(()) } else { Err(format!("README.md: {rows:#?}\nsources: {there:#?}").into()) }
}
