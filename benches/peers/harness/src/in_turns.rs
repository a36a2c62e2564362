//! Rows of a typed call and the raw one on the same memory, in turns.

#[path = "../../../support/in_turns.rs"]
mod turns;

use crate::results::Row;
use crate::sample::row;

/// Rows of both, of `batch` calls a sample; `wait` stands outside the time.
pub fn compare(
    work: &str,
    bytes: usize,
    moves: usize,
    batch: usize,
    raw: impl FnMut(),
    typed: impl FnMut(),
    wait: impl FnMut(),
) -> Vec<Row> {
    let sides = turns::SIDES.into_iter().zip(turns::samples(batch, raw, typed, wait));
    let work = format!("in turns: {work}");
    sides.map(|(library, samples)| row(library, &work, bytes, moves, 1, samples)).collect()
}
