//! A report, read.

use std::collections::BTreeSet;
use std::fmt;

/// A line of a source: file and number.
pub(crate) type Line = (String, usize);

/// What is reported of one process.
pub(crate) struct Report {
    text: String,
    pub(crate) violations: Vec<Violation>,
}

pub(crate) struct Violation {
    pub(crate) kind: String,
    /// The lines that it names, by what they are: `at`, `other`, `allocated`, `freed`.
    pub(crate) lines: BTreeSet<(String, Line)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Report {
    /// Reads the report of a process that has ended.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        let mut violations = Vec::new();
        let mut lines = BTreeSet::new();
        for line in text.lines() {
            if let Some(kind) = line.strip_prefix("[kind=") {
                let kind = kind.split([' ', ']']).next().unwrap_or_default().to_owned();
                violations.push(Violation { kind, lines: std::mem::take(&mut lines) });
            } else if let Some((what, place)) = line.strip_prefix("  ").and_then(|line| line.split_once(' ')) {
                lines.extend(place_of(place.trim_start()).map(|line| (what.to_owned(), line)));
            }
        }
        let last = format!("[violations={}]", violations.len());
        if text.lines().last() != Some(&last) {
            return Err(format!("the last line is to be {last}:\n{text}"));
        }
        Ok(Self { text: text.to_owned(), violations })
    }
}

/// `FILE:LINE:COLUMN`, whatever follows.
fn place_of(text: &str) -> Option<Line> {
    let mut parts = text.split([' ', '\t']).next()?.split(':');
    Some((parts.next()?.to_owned(), parts.next()?.parse().ok()?))
}
