//! Joins the rounds of all libraries.

use std::error::Error;
use std::path::Path;

use crate::results::{Results, Row};

/// Writes to `out` what the `parts` measured: one row for each library, work, size and number of threads.
pub(crate) fn merge(out: &Path, parts: &[String]) -> Result<(), Box<dyn Error>> {
    let mut merged: Option<Results> = None;
    for part in parts {
        let part = Results::read(Path::new(part))?;
        let Some(merged) = &mut merged else {
            merged = Some(part);
            continue;
        };
        for library in part.about.libraries {
            if !merged.about.libraries.contains(&library) {
                merged.about.libraries.push(library);
            }
        }
        for row in part.rows {
            let is_same = |other: &&mut Row| {
                (&other.library, &other.work, other.bytes, other.threads)
                    == (&row.library, &row.work, row.bytes, row.threads)
            };
            match merged.rows.iter_mut().find(is_same) {
                Some(other) => other.samples.extend(row.samples),
                None => merged.rows.push(row),
            }
        }
    }
    let mut merged = merged.ok_or("nothing to merge")?;
    for row in &mut merged.rows {
        let samples = std::mem::take(&mut row.samples);
        *row = Row::new(&row.library, &row.work, row.bytes, row.moves, row.threads, samples);
    }
    merged.write(out)
}
