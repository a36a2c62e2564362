//! memcore's calls and the driver's on the same memory, in turns.

use std::cell::RefCell;
use std::ffi::c_void;

use harness::in_turns::compare;
use harness::raw::{DRIVER, check};
use harness::results::Row;
use memcore::prelude::*;

/// Calls in one sample of a submission.
const BATCH: usize = 200;

/// The driver's functions on a stream, and on memory that outlives every wait.
struct Direct {
    stream: *mut c_void,
    dev: u64,
    other: u64,
}

impl Direct {
    fn upload(&self, host: *const u8, bytes: usize) {
        // SAFETY: all memory has at least that many bytes, and lives until the stream has been waited for.
        check(unsafe { (DRIVER.htod)(self.dev, host.cast(), bytes, self.stream) });
    }

    fn download(&self, host: *mut u8, bytes: usize) {
        // SAFETY: as for `upload`.
        check(unsafe { (DRIVER.dtoh)(host.cast(), self.dev, bytes, self.stream) });
    }

    fn between(&self, bytes: usize) {
        // SAFETY: as for `upload`.
        check(unsafe { (DRIVER.dtod)(self.dev, self.other, bytes, self.stream) });
    }

    fn set(&self, bytes: usize) {
        // SAFETY: as for `upload`.
        check(unsafe { (DRIVER.memset)(self.dev, 7, bytes, self.stream) });
    }

    fn wait(&self) {
        // SAFETY: the stream is alive.
        check(unsafe { (DRIVER.wait)(self.stream) });
    }
}

/// What both have.
struct Memory {
    dev: DeviceBuffer<u8>,
    other: DeviceBuffer<u8>,
    locked: LockedBuffer<u8>,
    pageable: Vec<u8>,
}

pub(crate) fn all(max_bytes: usize) -> memcore::Result<Vec<Row>> {
    let context = Context::current()?;
    let _entered = context.enter();
    let stream = Stream::new()?;
    let mut memory = Memory {
        dev: device_vec![0_u8; max_bytes]?,
        other: device_vec![1_u8; max_bytes]?,
        locked: locked_vec![3_u8; max_bytes]?,
        pageable: vec![5_u8; max_bytes],
    };
    let [dev, other] = [&memory.dev, &memory.other].map(|memory| memory.as_device_ptr().as_raw());
    let direct = Direct { stream: stream.as_raw(), dev, other };
    let mut rows = submissions(&direct, &stream, &mut memory.dev, &memory.locked);
    let sizes = std::iter::successors(Some(4_usize), |size| Some(size * 4)).take_while(|&size| size <= max_bytes);
    for bytes in sizes {
        rows.extend(complete(&direct, bytes, &mut memory));
    }
    Ok(rows)
}

/// Submissions, without their wait.
fn submissions(direct: &Direct, stream: &Stream, dev: &mut DeviceSlice<u8>, locked: &[u8]) -> Vec<Row> {
    let mut rows = Vec::new();
    for bytes in [4, 4096, 65_536] {
        rows.extend(compare(
            "submit page-locked to device",
            bytes,
            0,
            BATCH,
            || direct.upload(locked.as_ptr(), bytes),
            || {
                // SAFETY: both live, used by nothing else, until the wait.
                unsafe { copy!(dev[..bytes] <- locked[..bytes], async stream) }.expect("a copy");
            },
            || stream.synchronize().expect("a wait"),
        ));
    }
    rows
}

/// Copies and fills with their wait.
fn complete(direct: &Direct, bytes: usize, memory: &mut Memory) -> Vec<Row> {
    let Memory { dev, other, locked, pageable } = memory;
    let (dev, other) = (RefCell::new(&mut dev[..bytes]), &other[..bytes]);
    let mut rows = Vec::new();
    let mut both = |work: &str, raw: &dyn Fn(), typed: &dyn Fn() -> memcore::Result<()>| {
        let raw = || {
            raw();
            direct.wait();
        };
        rows.extend(compare(work, bytes, bytes, 1, raw, || typed().expect("memcore failed"), || ()));
    };
    for (kind, host) in [("page-locked", &mut locked[..bytes]), ("pageable", &mut pageable[..bytes])] {
        // The raw call and the typed one have the same memory, and never at once.
        let (pointer, host) = (host.as_mut_ptr(), RefCell::new(host));
        both(
            &format!("{kind} to device"),
            &|| direct.upload(pointer, bytes),
            &|| copy!(*dev.borrow_mut() <- **host.borrow()),
        );
        both(
            &format!("device to {kind}"),
            &|| direct.download(pointer, bytes),
            &|| copy!(*host.borrow_mut() <- **dev.borrow()),
        );
    }
    both("device to device", &|| direct.between(bytes), &|| copy!(*dev.borrow_mut() <- other));
    both("fill", &|| direct.set(bytes), &|| fill!(*dev.borrow_mut() <- 7));
    rows
}
