//! A logger that keeps what is said, and one that panics in the midst of a copy: it is the program's own code.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Once;

use memcore::Status;
use memcore::prelude::*;
use memcore::sim::{Fault, SimOptions};

use crate::{LARGE, ORDERS, SMALL, open, pattern, pieces_made};

struct Logger;

thread_local! {
    static WARNINGS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
    static IS_ARMED: Cell<bool> = const { Cell::new(false) };
}

impl log::Log for Logger {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        if record.level() == log::Level::Warn {
            WARNINGS.with_borrow_mut(|warnings| warnings.push(record.args().to_string()));
        }
        if IS_ARMED.replace(false) {
            resume_unwind(Box::new("armed"));
        }
    }

    fn flush(&self) {}
}

fn listen() {
    static START: Once = Once::new();
    START.call_once(|| {
        log::set_logger(&Logger).unwrap();
        log::set_max_level(log::LevelFilter::Warn);
    });
}

/// The warnings that this thread has logged.
pub(crate) fn warnings() -> Vec<String> {
    listen();
    WARNINGS.with_borrow(Clone::clone)
}

/// Runs a copy in which something is logged, of which the logger panics.
fn unwinds(copy: impl FnOnce() -> memcore::Result<()>) {
    listen();
    IS_ARMED.set(true);
    let unwound = catch_unwind(AssertUnwindSafe(copy));
    assert!(!IS_ARMED.replace(false) && unwound.is_err(), "nothing was logged: {unwound:?}");
}

#[test]
fn a_panic_at_what_the_driver_says() {
    for order in ORDERS {
        for len in [SMALL, LARGE] {
            let (sim, context) = open(SimOptions::default().order(order));
            let _entered = context.enter();
            let (mut dev, host) = (device_vec![1_u8; len].unwrap(), pattern(len + 300, 1));
            copy!(dev <- host[..len]).unwrap();
            // SAFETY: unsound on purpose: the last part is beyond the end, which is refused, and said, midway.
            let longer = unsafe { DeviceSlice::from_raw_parts_mut(dev.as_device_ptr(), len + 300) };
            unwinds(|| copy!(longer <- host));
            let mut back = vec![0; len + 300];
            unwinds(|| copy!(back <- longer));
            back.fill(9);
            context.synchronize().unwrap();
            assert!(back == vec![9; len + 300], "{order:?}: bytes landed after the copy had unwound");
            // Nothing is lost, and nothing in the way.
            let (made, bytes) = (pieces_made(&sim), context.staging_bytes());
            copy!(dev <- host[300..]).unwrap();
            assert!(dev.to_vec().unwrap() == host[300..]);
            assert_eq!((pieces_made(&sim), context.staging_bytes()), (made, bytes), "{order:?}");
            context.trim(0).unwrap();
            assert_eq!(context.staging_bytes(), 0);
            drop(dev);
            assert_eq!(sim.finish().len(), 2);
        }
    }
}

/// Wherever it is that a call fails, and that is logged, by the simulated device or by memcore.
#[test]
fn a_panic_at_any_call_that_fails() {
    // Of a large copy, which is many calls, some calls in all.
    for (len, seeds, per_mille) in [(SMALL, 40, 150), (LARGE, 15, 15)] {
        for seed in 0..seeds {
            let entries = [
                "cuMemHostAlloc",
                "cuEventCreate",
                "cuEventRecord",
                "cuEventQuery",
                "cuMemcpyHtoDAsync_v2",
                "cuMemcpyDtoHAsync_v2",
            ];
            let faults = Fault::random_of(entries, seed, per_mille, Status(4242));
            let (sim, context) = open(SimOptions::default().fail(faults));
            listen();
            let (host, mut back) = (pattern(len, seed as u32), vec![0; len]);
            let mut dev = DeviceBuffer::zeroed_in(&context, len);
            while dev.is_err() {
                dev = DeviceBuffer::zeroed_in(&context, len);
            }
            let mut dev = dev.unwrap();
            for _ in 0..4 {
                IS_ARMED.set(true);
                let _ = catch_unwind(AssertUnwindSafe(|| copy!(dev <- host)));
                let _ = catch_unwind(AssertUnwindSafe(|| copy!(back <- dev)));
            }
            IS_ARMED.set(false);
            while copy!(dev <- host).is_err() {}
            while copy!(back <- dev).is_err() {}
            assert!(back == host, "seed {seed}");
            // What is counted is there, and nothing else.
            context.trim(0).unwrap();
            assert_eq!(context.staging_bytes(), 0, "seed {seed}");
            drop(dev);
            drop(context);
            let violations = sim.finish();
            assert!(violations.is_empty(), "seed {seed}: {}", violations[0]);
        }
    }
}
