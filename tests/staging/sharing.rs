//! Copies of several threads at once: how much memory they share, and that it comes back.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

use memcore::prelude::*;
use memcore::sim::SimOptions;

use crate::{LARGE, ORDERS, SMALL, STAGING, Sim, Staging, count, finish, open, pattern, pieces_made};

/// Copies there and back, of these bytes and more at each turn.
fn copies(context: &Context, seed: u32, turns: usize) {
    for turn in 0..turns {
        let len = [SMALL, LARGE, 300_000][(turn + seed as usize) % 3] + turn;
        let host = pattern(len, seed);
        let dev = DeviceBuffer::from_slice_in(context, &host).unwrap();
        assert!(dev.to_vec().unwrap() == host, "{len} bytes");
    }
}

/// Runs copies on several threads, and says the most bytes that there were meanwhile.
fn most_bytes(context: &Context, meanwhile: impl FnOnce() + Send) -> usize {
    let (is_over, mut most) = (AtomicBool::new(false), 0);
    thread::scope(|scope| {
        let watch = scope.spawn(|| {
            while !is_over.load(Relaxed) {
                most = most.max(context.staging_bytes());
                thread::yield_now();
            }
        });
        let workers: Vec<_> = (0..5).map(|seed| scope.spawn(move || copies(context, seed, 6))).collect();
        meanwhile();
        let ended: Vec<_> = workers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Relaxed);
        watch.join().unwrap();
        ended.into_iter().for_each(Result::unwrap);
    });
    most
}

#[test]
fn threads_share_bounded_memory_and_give_it_back() {
    for order in ORDERS {
        let (sim, context) = open(SimOptions::default().order(order));
        let settings = STAGING.maximum_bytes(4 << 20);
        context.set_staging(settings).unwrap();
        // What there is afterwards serves whatever comes.
        copies(&context, 0, 3);
        let most = most_bytes(&context, || ());
        assert!((1..=4 << 20).contains(&most), "{most} bytes");
        copies(&context, 0, 3);
        let (made, bytes) = (pieces_made(&sim), context.staging_bytes());
        for _ in 0..3 {
            copies(&context, 0, 3);
        }
        assert_eq!((pieces_made(&sim), context.staging_bytes()), (made, bytes), "every piece has come back");
        context.trim(0).unwrap();
        assert_eq!(context.staging_bytes(), 0);
        copies(&context, 0, 3);
        assert!(pieces_made(&sim) > made);
        finish(sim, &context);
    }
}

#[test]
fn a_lower_maximum_holds_when_the_copies_that_had_more_have_ended() {
    for settings in [
        STAGING.maximum_bytes(512 << 10),
        STAGING.threads(2),
        STAGING.threads(8).maximum_bytes(3 << 20),
        STAGING.threads(0),
        Staging::off(),
    ] {
        let (sim, context) = open(SimOptions::default());
        context.set_staging(STAGING.maximum_bytes(4 << 20)).unwrap();
        let most = most_bytes(&context, || {
            copies(&context, 9, 2);
            context.set_staging(settings).unwrap();
        });
        assert!(most <= 4 << 20, "{most} bytes");
        let bytes = context.staging_bytes();
        assert!(bytes <= if settings == STAGING.threads(0) { 0 } else { bytes_of(settings) }, "{settings:?}: {bytes}");
        // What is left can be used: none of it is of a size that no copy takes.
        let made = |sim: &Sim| (pieces_made(sim), count(sim, "cuMemFreeHost"));
        copies(&context, 0, 6);
        let before = made(&sim);
        copies(&context, 0, 6);
        assert_eq!(made(&sim), before, "{settings:?}");
        finish(sim, &context);
    }
}

/// The most bytes of these settings.
fn bytes_of(settings: Staging) -> usize {
    [512 << 10, 1 << 20, 3 << 20].into_iter().find(|bytes| settings == settings.maximum_bytes(*bytes)).unwrap_or(0)
}

#[test]
fn memory_may_be_given_back_at_any_time() {
    for order in ORDERS {
        let (sim, context) = open(SimOptions::default().order(order));
        let most = most_bytes(&context, || {
            for turn in 0..40 {
                context.trim(0).unwrap();
                if turn % 8 == 7 {
                    context.set_staging(STAGING.threads(turn % 4)).unwrap();
                }
                thread::yield_now();
            }
        });
        assert!(most <= 1 << 20);
        context.trim(0).unwrap();
        assert_eq!(context.staging_bytes(), 0);
        finish(sim, &context);
    }
}

#[test]
fn what_the_context_keeps_goes_with_it() {
    let (sim, context) = open(SimOptions::default());
    copies(&context, 1, 3);
    assert!(context.staging_bytes() > 0);
    drop(context);
    assert_eq!(count(&sim, "cuMemFreeHost"), pieces_made(&sim));
    assert_eq!(count(&sim, "cuEventDestroy_v2"), count(&sim, "cuEventCreate"));
    assert!(count(&sim, "cuEventCreate") > 0);
    assert!(sim.finish().is_empty());
}
