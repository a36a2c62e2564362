//! A logger is the program's own code, and runs inside driver calls of the simulated device: it may panic, and it may use
//! memcore. One test, since a process has one logger.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};

const LEN: usize = 4096;

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
    let sim = Sim::new(SimOptions::default().without_symbol("cuStreamWriteValue32_v2"));
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let _entered = context.enter();
    let dev = device_vec![7_u8; LEN].unwrap();
    let mut locked = locked_vec![1_u8; LEN].unwrap();
    // Something for the simulated device to say during the copy: a read of freed memory.
    let freed = device_vec![1_u8; 16].unwrap();
    let dangling = freed.as_device_ptr();
    drop(freed);
    ARMED.store(true, Ordering::SeqCst);
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: unsound on purpose, on the simulated device, which answers with a code and a word in the log.
        let gone = unsafe { DeviceSlice::from_raw_parts(dangling, 16) };
        copy!(locked[..16] <- gone)
    }));
    assert!(unwound.is_err(), "the logger was not called between queue and wait");
    let result = copy!(locked <- dev);
    let view: &[u8] = &locked;
    let before = view.to_vec();
    context.synchronize().unwrap();
    assert!(result.is_ok() && view == before && before == [7; LEN]);
}
