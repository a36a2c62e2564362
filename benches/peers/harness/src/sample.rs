//! How often a call is measured, and for how long.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::results::Row;

/// For each work and size of a round.
const TIME: Duration = Duration::from_millis(30);
const RUNS: std::ops::RangeInclusive<usize> = 3..=200;
/// Calls of a row that are kept for all rounds together.
const KEPT: usize = 100;

/// Nanoseconds of each call. What a call returns is dropped outside the time.
pub(crate) fn time<T>(mut call: impl FnMut() -> T) -> Vec<f64> {
    let (mut samples, start) = (Vec::new(), Instant::now());
    while samples.len() < *RUNS.start() || (samples.len() < *RUNS.end() && start.elapsed() < TIME) {
        let before = Instant::now();
        let result = call();
        samples.push(before.elapsed().as_nanos() as f64);
        drop(black_box(result));
    }
    samples
}

/// A row that keeps its samples.
pub(crate) fn row(library: &str, work: &str, bytes: usize, moves: usize, threads: usize, samples: Vec<f64>) -> Row {
    let step = samples.len().div_ceil(KEPT).max(1);
    let kept = samples.iter().copied().step_by(step).collect();
    Row { samples: kept, ..Row::new(library, work, bytes as u64, moves as u64, threads as u32, samples) }
}
