//! A logger is the program's own code and runs inside driver calls: if it panics at the end of a scope, the scope waits
//! all the same. One test, since a process has one logger.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions};
use memcore::{Error, Status};

const LEN: usize = 4096;

/// A logger that panics at the next word, when it is armed.
struct Hostile;

static ARMED: AtomicBool = AtomicBool::new(false);

impl log::Log for Hostile {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, _: &log::Record<'_>) {
        if ARMED.swap(false, Ordering::SeqCst) {
            resume_unwind(Box::new("armed"));
        }
    }

    fn flush(&self) {}
}

/// Runs scopes that end with the logger armed and something for it to hear; then no byte may move.
fn unwinds(
    what: &str,
    options: SimOptions,
    run: impl FnOnce(&DeviceBuffer<u8>, &[Stream], &mut LockedBuffer<u8>) -> memcore::Result<()>,
) {
    // As late as can be.
    let sim = Sim::new(options.late_pageable());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let _entered = context.enter();
    let dev = device_vec![7_u8; LEN].unwrap();
    let streams: Vec<_> = (0..4).map(|_| Stream::new().unwrap()).collect();
    let mut back = locked_vec![0_u8; LEN].unwrap();
    let unwound = catch_unwind(AssertUnwindSafe(|| run(&dev, &streams, &mut back)));
    assert!(unwound.is_err(), "{what}: nothing was logged: {unwound:?}");
    let seen = back.to_vec();
    context.synchronize().unwrap();
    assert!(*back == seen, "{what}: bytes moved after the scope had unwound");
    assert_eq!(seen, [7; LEN], "{what}");
    drop((dev, streams, back));
    drop(sim.finish());
}

/// The `n`-th free of a temporary fails, which is logged: before the wait, which is to come all the same.
fn failing_free(n: u64) -> SimOptions {
    SimOptions::default().fail(Fault::nth("cuMemFreeAsync", n, Status(4242)))
}

/// As [`failing_free`] without pools: after the wait, and between those of many streams.
fn failing_free_after_the_wait() -> SimOptions {
    SimOptions::default().without_pools().fail(Fault::nth("cuMemFree_v2", 1, Status(4242)))
}

/// Downloads a part on each stream beside a temporary, and arms the logger in the last closure.
fn downloads_on_many_streams(
    dev: &DeviceBuffer<u8>,
    streams: &[Stream],
    back: &mut LockedBuffer<u8>,
) -> memcore::Result<()> {
    memcore::scope(|all| {
        let parts = streams.iter().zip(back.chunks_mut(LEN / 4)).zip(dev.chunks(LEN / 4));
        for (i, ((stream, back), dev)) in parts.enumerate() {
            all.on(stream, |s| {
                s.device_vec::<u8>(16)?;
                copy!(back <- dev, s)?;
                ARMED.store(i == 3, Ordering::SeqCst);
                Ok::<(), Error>(())
            })?;
        }
        Ok(())
    })
}

#[test]
fn a_panic_at_the_end_waits_for_every_stream() {
    static LOGGER: Hostile = Hostile;
    log::set_logger(&LOGGER).unwrap();
    log::set_max_level(log::LevelFilter::Error);
    for options in [failing_free(1), failing_free_after_the_wait()] {
        unwinds("one stream", options, |dev, streams, back| {
            streams[0].scope(|s| {
                s.device_vec::<u8>(16)?;
                copy!(back <- dev, s)?;
                ARMED.store(true, Ordering::SeqCst);
                Ok(())
            })
        });
    }
    unwinds("many streams, before the waits", failing_free(4), downloads_on_many_streams);
    unwinds("many streams, between the waits", failing_free_after_the_wait(), downloads_on_many_streams);
    for options in [failing_free(1), failing_free_after_the_wait()] {
        unwinds("nested", options, |dev, streams, back| {
            let (left, right) = back.split_at_mut(LEN / 2);
            streams[0].scope(|a| {
                copy!(left <- dev[..LEN / 2], a)?;
                streams[1].scope(|b| {
                    b.device_vec::<u8>(16)?;
                    copy!(right <- dev[LEN / 2..], b)?;
                    ARMED.store(true, Ordering::SeqCst);
                    Ok(())
                })
            })
        });
    }
}
