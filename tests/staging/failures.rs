//! Calls of a staged copy that fail: what the copy says, what it has written, and that the next one works as if nothing had
//! been.

use std::thread::sleep;
use std::time::Duration;

use memcore::prelude::*;
use memcore::sim::{Fault, Order, Sim, SimOptions};
use memcore::{Error, Status};

use crate::logger::warnings;
use crate::{LARGE, ORDERS, SMALL, STAGING, Staging, count, finish, open, pattern, pieces_made};

const OLD: u8 = 0xA5;

/// A device with the pattern, or without for an upload, and the streams and pieces that a copy of the length takes.
struct Bench {
    sim: Sim,
    context: Context,
    dev: DeviceBuffer<u8>,
    is_upload: bool,
}

impl Bench {
    fn new(options: SimOptions, len: usize, is_upload: bool) -> Self {
        let (sim, context) = open(options);
        let locked = LockedBuffer::from_slice_in(&context, &pattern(len, 1)).unwrap();
        let mut dev = DeviceBuffer::filled_in(&context, OLD, len).unwrap();
        if !is_upload {
            copy!(dev <- locked).unwrap();
        }
        Self { sim, context, dev, is_upload }
    }

    /// Copies, and says what is at the destination then.
    fn copy(&mut self) -> (memcore::Result<()>, Vec<u8>) {
        let host = pattern(self.dev.len(), 1);
        if self.is_upload {
            (copy!(self.dev <- host), host)
        } else {
            let mut back = vec![OLD; self.dev.len()];
            (copy!(back <- self.dev), back)
        }
    }

    /// Copies, successfully, and sees that all of it is there.
    fn copies(&mut self) {
        let (copied, seen) = self.copy();
        copied.unwrap();
        assert!(seen == pattern(seen.len(), 1));
        let mut all = LockedBuffer::filled_in(&self.context, 0, seen.len()).unwrap();
        copy!(all <- self.dev).unwrap();
        assert!(*all == seen);
    }
}

/// Whether each byte is an old one, or the one that belongs there.
fn is_at_most_partly_written(seen: &[u8]) -> bool {
    seen.iter().zip(pattern(seen.len(), 1)).all(|(seen, right)| *seen == OLD || *seen == right)
}

/// The fault of the `n`-th call of an entry point in the copy of a [`Bench`].
fn fault(entry: &str, n: u64, len: usize, is_upload: bool, make: fn(&str, u64, Status) -> Fault, code: u32) -> Fault {
    let before = Bench::new(SimOptions::default(), len, is_upload);
    make(entry, count(&before.sim, entry) + n, Status(code))
}

const UPLOAD: &str = "cuMemcpyHtoDAsync_v2";
const DOWNLOAD: &str = "cuMemcpyDtoHAsync_v2";

/// Calls of a copy by which it may fail, by the number of the call: uploads or not, and how long.
const CALLS: [(bool, usize, &str, u64); 13] = [
    (true, LARGE, UPLOAD, 3),
    (true, LARGE, "cuEventRecord", 3),
    (true, LARGE, "cuEventSynchronize", 1),
    (true, LARGE, "cuStreamSynchronize", 1),
    (false, LARGE, DOWNLOAD, 3),
    (false, LARGE, "cuEventRecord", 3),
    (false, LARGE, "cuEventSynchronize", 1),
    (false, LARGE, "cuEventSynchronize", 3),
    (false, LARGE, "cuStreamSynchronize", 1),
    (true, SMALL, UPLOAD, 1),
    (true, SMALL, "cuStreamSynchronize", 1),
    (false, SMALL, DOWNLOAD, 1),
    (false, SMALL, "cuStreamSynchronize", 1),
];

#[test]
fn a_call_that_fails_midway() {
    for (is_upload, len, entry, n) in CALLS {
        // Eagerly nothing needs a wait but the last.
        for order in ORDERS[..3].iter().copied().filter(|order| *order == Order::Lazy || entry != "cuEventSynchronize")
        {
            let fault = fault(entry, n, len, is_upload, Fault::nth, 4242);
            let what = format!("{fault}, {order:?}, {len} bytes");
            let mut bench = Bench::new(SimOptions::default().order(order).fail(fault), len, is_upload);
            let (copied, seen) = bench.copy();
            let Err(Error::Driver { operation, status }) = copied else { panic!("{what}: {copied:?}") };
            assert_eq!((operation, status), (entry, Status(4242)), "{what}");
            assert!(is_at_most_partly_written(&seen), "{what}");
            assert!(is_upload || len == LARGE || seen == vec![OLD; len], "{what}: a part was written");
            let (made, bytes) = (pieces_made(&bench.sim), bench.context.staging_bytes());
            let (copied, seen) = bench.copy();
            assert_eq!((copied, pieces_made(&bench.sim)), (Ok(()), made), "{what}");
            assert!(seen == pattern(len, 1), "{what}");
            bench.copies();
            assert_eq!(bench.context.staging_bytes(), bytes, "{what}");
            let Bench { sim, context, dev, .. } = bench;
            drop(dev);
            finish(sim, &context);
        }
    }
}

#[test]
fn a_query_that_fails() {
    for is_upload in [true, false] {
        // How often is asked, nobody knows: at least once in a few copies.
        let mut bench =
            Bench::new(SimOptions::default().fail(Fault::nth("cuEventQuery", 1, Status(4242))), LARGE, is_upload);
        let mut results: Vec<_> = (0..5).map(|_| bench.copy().0).collect();
        results.retain(Result::is_err);
        let expected = Error::Driver { operation: "cuEventQuery", status: Status(4242) };
        assert_eq!(results, vec![Err(expected); bench.sim.failures().len()]);
        bench.copies();
        let Bench { sim, context, dev, .. } = bench;
        drop(dev);
        finish(sim, &context);
    }
}

#[test]
fn without_page_locked_memory_the_driver_copies_and_is_asked_once() {
    for (len, is_upload) in [(SMALL, true), (SMALL, false), (LARGE, true), (LARGE, false)] {
        let sim = Sim::new(SimOptions::default().fail(Fault::every("cuMemHostAlloc", Status::OUT_OF_MEMORY)));
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let (host, mut dev) = (pattern(len, 1), DeviceBuffer::zeroed_in(&context, len).unwrap());
        let heard = warnings().len();
        let mut copies = || {
            if is_upload {
                copy!(dev <- host).unwrap();
            }
            let mut back = vec![1; len];
            copy!(back <- dev).unwrap();
            assert!(back == if is_upload { host.clone() } else { vec![0; len] });
            assert_eq!(context.staging_bytes(), 0);
        };
        copies();
        copies();
        assert_eq!(pieces_made(&sim), 1, "{len} bytes");
        let said = warnings().split_off(heard);
        assert_eq!(said.len(), 1, "{said:?}");
        assert!(said[0].starts_with("copies of pageable memory are slower"), "{said:?}");
        context.trim(0).unwrap();
        copies();
        copies();
        assert_eq!((pieces_made(&sim), warnings().len()), (2, heard + 2));
        context.set_staging(STAGING).unwrap();
        copies();
        assert_eq!(pieces_made(&sim), 3);
        drop(dev);
        finish(sim, &context);
    }
}

/// With room for some pieces and not for all, copies take what there is.
#[test]
fn some_of_the_page_locked_memory() {
    for is_upload in [true, false] {
        for pieces in [1, 2] {
            let limit = 4096 + pieces * (129 << 10);
            let (sim, context) = open(SimOptions::default().host_lock_limit(limit));
            let (host, mut dev) = (pattern(LARGE, 1), DeviceBuffer::zeroed_in(&context, LARGE).unwrap());
            if is_upload {
                copy!(dev <- host).unwrap();
            }
            let mut back = vec![1; LARGE];
            copy!(back <- dev).unwrap();
            assert!(back == if is_upload { host } else { vec![0; LARGE] });
            assert_eq!(context.staging_bytes(), pieces as usize * (128 << 10));
            drop(dev);
            finish(sim, &context);
        }
    }
}

#[test]
fn without_events_the_driver_copies() {
    let (sim, context) = open(SimOptions::default().fail(Fault::every("cuEventCreate", Status::OUT_OF_MEMORY)));
    let host = pattern(LARGE, 1);
    let dev = DeviceBuffer::from_slice_in(&context, &host).unwrap();
    assert!(dev.to_vec().unwrap() == host);
    assert_eq!((count(&sim, UPLOAD), count(&sim, DOWNLOAD)), (1, 1));
    // The memory is there for later, and goes as ever.
    assert!(context.staging_bytes() <= 1 << 20);
    context.trim(0).unwrap();
    assert_eq!(context.staging_bytes(), 0);
    drop(dev);
    finish(sim, &context);
}

#[test]
fn a_context_that_dies_midway() {
    for (is_upload, len, entry, n) in CALLS {
        let fault = fault(entry, n, len, is_upload, Fault::sticky, 700);
        let what = fault.to_string();
        let mut bench = Bench::new(SimOptions::default().fail(fault), len, is_upload);
        let (copied, mut seen) = bench.copy();
        assert_eq!(copied.unwrap_err().status(), Some(Status(700)), "{what}");
        assert!(is_at_most_partly_written(&seen), "{what}");
        // What the device still does is long over.
        let bytes = bench.context.staging_bytes();
        seen.fill(3);
        sleep(Duration::from_millis(100));
        assert!(seen == vec![3; len], "{what}: bytes landed after the call had returned");
        // What it may still read or write is neither used again nor given back.
        bench.sim.clear_calls();
        assert_eq!(bench.copy().0.unwrap_err().status(), Some(Status(700)), "{what}");
        let _ = bench.context.set_staging(Staging::off());
        assert_eq!((count(&bench.sim, "cuMemFreeHost"), bench.context.staging_bytes()), (0, bytes), "{what}");
        let Bench { sim, context, dev, .. } = bench;
        drop((dev, context));
        assert!(sim.finish().is_empty(), "{what}");
    }
}
