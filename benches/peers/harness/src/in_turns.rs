//! A typed call and the raw one on the same memory, in turns, so that the machine's moods meet both; the raw one twice, for
//! what it differs from itself. A turn has several calls: they run on different streams, and the first after a change of streams
//! takes a device longer.

use std::time::{Duration, Instant};

use crate::results::Row;
use crate::sample::row;

/// For each work and size.
const TIME: Duration = Duration::from_millis(250);
const TURN: usize = 8; // of which the first is not counted

const ROUNDS: std::ops::RangeInclusive<usize> = 7..=3000;

/// The libraries of the rows, as the raw call, the typed one and the raw one again.
const LIBRARIES: [&str; 3] = ["raw", "memcore", "raw again"];

/// Rows of both, of `batch` calls a sample; `wait` stands outside the time.
pub fn compare(
    work: &str,
    bytes: usize,
    moves: usize,
    batch: usize,
    mut raw: impl FnMut(),
    mut typed: impl FnMut(),
    mut wait: impl FnMut(),
) -> [Row; 3] {
    let mut samples = [const { Vec::new() }; 3];
    let mut sample = |call: &mut dyn FnMut()| {
        let start = Instant::now();
        for _ in 0..batch {
            call();
        }
        let nanoseconds = start.elapsed().as_nanos() as f64 / batch as f64;
        wait();
        nanoseconds
    };
    for _ in 0..3 {
        sample(&mut raw);
        sample(&mut typed);
    }
    let start = Instant::now();
    while samples[0].len() < *ROUNDS.start() || (samples[0].len() < *ROUNDS.end() && start.elapsed() < TIME) {
        for (turn, samples) in samples.iter_mut().enumerate() {
            let call: &mut dyn FnMut() = if turn == 1 { &mut typed } else { &mut raw };
            sample(call);
            for _ in 1..TURN {
                samples.push(sample(call));
            }
        }
    }
    let mut libraries = LIBRARIES.into_iter();
    samples.map(|samples| {
        let library = libraries.next().expect("a name for each");
        row(library, &format!("in turns: {work}"), bytes, moves, 1, samples)
    })
}
