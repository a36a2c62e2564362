//! A typed call and the raw one in turns, so that the machine's moods meet both; the raw one twice, for what it differs from
//! itself. A turn has several calls: they run on different streams, and the first after a change of streams takes a device
//! longer.

use std::time::{Duration, Instant};

const TIME: Duration = Duration::from_millis(250);
const TURN: usize = 8; // of which the first is not counted

const ROUNDS: std::ops::RangeInclusive<usize> = 7..=3000;

/// What the samples are of, in their order.
pub const SIDES: [&str; 3] = ["raw", "memcore", "raw again"];

/// Nanoseconds of a call of each side, of `batch` calls a sample; `wait` stands outside the time.
pub fn samples(
    batch: usize,
    mut raw: impl FnMut(),
    mut typed: impl FnMut(),
    mut wait: impl FnMut(),
) -> [Vec<f64>; SIDES.len()] {
    let mut samples = [const { Vec::new() }; SIDES.len()];
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
    samples
}
