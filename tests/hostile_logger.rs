//! A logger is the program's own code, and runs inside driver calls of the simulated device: it may panic, and it may use
//! memcore. One test, since a process has one logger.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};

/// A logger that panics at whatever the simulated device says, when it is armed, and that uses memcore itself.
struct Hostile;

static ARMED: AtomicBool = AtomicBool::new(false);

impl log::Log for Hostile {
    fn enabled(&self, _: &log::Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &log::Record<'_>) {
        let _ = Device::count();
        if ARMED.swap(false, Ordering::SeqCst) {
            panic!("armed: {}", record.args());
        }
    }

    fn flush(&self) {}
}

#[test]
fn an_unwind_between_queue_and_wait_still_waits() {
    static LOGGER: Hostile = Hostile;
    log::set_logger(&LOGGER).unwrap();
    log::set_max_level(log::LevelFilter::Trace);
    let sim = Sim::new(SimOptions::default());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let _entered = context.enter();
    let mut unified = unified_vec![0.0_f64; 8].unwrap();
    fill!(unified.as_device_slice_mut() <- 0.0).unwrap();
    // One element too many: the last of the fill's device copies is refused, and said, when four calls are queued.
    let start = unified.as_device_ptr();
    ARMED.store(true, Ordering::SeqCst);
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: unsound on purpose, on the simulated device, which answers with a code and a word in the log.
        let longer = unsafe { DeviceSlice::from_raw_parts_mut(start, 9) };
        longer.fill(1.5)
    }));
    assert!(unwound.is_err(), "the logger was not called between queue and wait");
    let before = unified.to_vec();
    context.synchronize().unwrap();
    assert_eq!(before, *unified, "the fill was in flight after it had unwound");
    assert_eq!(before, [1.5; 8]);
}
