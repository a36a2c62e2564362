//! What has been measured so far.

use std::path::PathBuf;

use crate::Worker;
use crate::results::{Results, Row};
use crate::sample::row;
use crate::{Options, name};

/// The file has every row as soon as it is measured: a library that ends the process loses no others.
pub(crate) struct Rows<'a> {
    results: Results,
    options: &'a Options,
}

impl<'a> Rows<'a> {
    pub(crate) fn new(results: Results, options: &'a Options) -> Self {
        let rows = Self { results, options };
        rows.write();
        rows
    }

    /// To be called before the work begins.
    pub(crate) fn begins(&self, work: &str, bytes: usize, threads: usize) {
        self.options.say(&format!("{work}, {bytes} B, threads: {threads}"));
    }

    pub(crate) fn add<W: Worker>(&mut self, work: &str, bytes: usize, moves: usize, threads: usize, samples: Vec<f64>) {
        let work = format!("{work}{}", self.options.note);
        self.extend([row(name::<W>(), &work, bytes, moves, threads, samples)]);
    }

    pub(crate) fn extend(&mut self, rows: impl IntoIterator<Item = Row>) {
        self.results.rows.extend(rows);
        self.write();
    }

    fn write(&self) {
        let json: &PathBuf = &self.options.json;
        self.results.write(json).expect("a file for the results");
    }
}
