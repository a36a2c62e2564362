//! Stream scopes on the simulated device: what is in flight when, under every order, whatever the closure does.

mod endings;
mod operations;
mod streams;
mod temporaries;
mod threads;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use memcore::Error;
use memcore::prelude::*;
use memcore::sim::{Order, Sim, SimOptions};

const LEN: usize = 3000;

/// The orders that every test runs under.
const ORDERS: [Order; 6] =
    [Order::Lazy, Order::Eager, Order::Random(1), Order::Random(2), Order::Random(3), Order::Random(4)];

fn pattern(len: usize) -> Vec<u8> {
    (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

/// Runs a test in a context of its own under every order; then nothing may be amiss, or in flight.
#[track_caller]
fn under_every_order(options: impl Fn() -> SimOptions, test: impl Fn(&Sim, &Context)) {
    // Of each, also with pageable memory used when the copy runs: as late as can be.
    for (order, late) in ORDERS.iter().flat_map(|order| [(*order, false), (*order, true)]) {
        let options = options().order(order);
        let sim = Sim::new(if late { options.late_pageable() } else { options });
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let entered = context.enter();
        test(&sim, &context);
        drop(entered);
        assert_eq!(context.take_drop_errors(), [], "{order:?}");
        let violations = sim.finish();
        assert!(violations.is_empty(), "{order:?}: {}", violations[0]);
    }
}

/// Panics with `payload`, without a word.
fn panic_with(payload: impl Any + Send) -> ! {
    resume_unwind(Box::new(payload))
}

/// What a call panicked with.
fn payload_of<R>(call: impl FnOnce() -> R) -> &'static str {
    let Err(payload) = catch_unwind(AssertUnwindSafe(call)) else { panic!("it did not panic") };
    payload.downcast_ref::<&'static str>().copied().unwrap_or("another panic")
}

/// An error of one's own type.
#[derive(Debug, PartialEq)]
enum Mine {
    Memcore(Error),
    Enough,
}

impl From<Error> for Mine {
    fn from(error: Error) -> Self {
        Self::Memcore(error)
    }
}
