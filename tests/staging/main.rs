//! Copies of pageable memory through page-locked memory of the context's, where a simulated device shows what no other can:
//! each order, each call, and what comes of one that fails.

mod direct;
mod failures;
mod logger;
mod order;
mod places;
mod races;
mod room;
mod sharing;
mod windows;

use memcore::Staging;
use memcore::prelude::*;
use memcore::sim::{Order, Sim, SimOptions};

/// Enough for several threads, and parts of a little more than 128 KiB.
const STAGING: Staging = Staging::off().threads(4).maximum_bytes(1 << 20);

/// A copy of so many bytes goes in parts by several threads, both ways.
const LARGE: usize = (5 << 19) + 77;

/// A copy of so many bytes goes through one piece.
const SMALL: usize = 1000;

const ORDERS: [Order; 5] = [Order::Lazy, Order::Eager, Order::Random(1), Order::Random(2), Order::Random(3)];

fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    context.set_staging(STAGING).unwrap();
    (sim, context)
}

fn pattern(len: usize, seed: u32) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761).wrapping_add(seed) >> 13) as u8).collect()
}

/// How often an entry point was called.
fn count(sim: &Sim, entry: &str) -> u64 {
    sim.calls().iter().filter(|call| **call == entry).count() as u64
}

/// How many pieces, and words of tickets, were made.
fn pieces_made(sim: &Sim) -> u64 {
    count(sim, "cuMemHostAlloc")
}

/// Nothing is amiss at the end.
#[track_caller]
fn finish(sim: Sim, context: &Context) {
    assert_eq!(context.take_drop_errors(), []);
    let violations = sim.finish();
    assert!(violations.is_empty(), "{} violations: {}", violations.len(), violations[0]);
}
