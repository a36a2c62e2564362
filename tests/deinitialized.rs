//! The driver shuts down under a program, as when the process ends: from some call on every call says so. Whatever is
//! dropped then is a success without a word, and nothing panics, aborts or hangs.

#![allow(clippy::print_stdout, reason = "the sweep says how much it did")]

use std::future::Future;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context as Task, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use log::{Level, LevelFilter, Log, Metadata, Record};
use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions};
use memcore::{Event, Result, Status, TransferError};

/// What was logged as an error.
static ERRORS: Mutex<Vec<String>> = Mutex::new(Vec::new());

struct Logger;

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() == Level::Error
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            ERRORS.lock().unwrap().push(record.args().to_string());
        }
    }

    fn flush(&self) {}
}

/// Everything that has a `Drop`, and everything that waits.
fn program(context: &Context) -> Result<()> {
    let _entered = context.enter();
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let (_event, _boxed) = (Event::new()?, device_box![1_u64]?);
    let (mut dev, mut locked, mut unified) = (device_vec![1_u8; 64]?, locked_vec![2_u8; 64]?, unified_vec![3_u8; 64]?);
    let mut host = vec![0_u8; 64];
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(locked <- dev, s)?;
        copy!(host <- s.device_vec::<u8>(64)?, s)?;
        other.scope(|b| copy!(b.lend(&mut unified)[..] <- b.take_over_ref(&*dev, s)?, b))
    })?;
    let (left, right) = locked.split_at_mut(32);
    memcore::scope(|all| {
        all.on(&stream, |s| copy!(left <- dev[..32], s))?;
        all.on(&other, |s| copy!(right <- dev[32..], s))
    })?;
    let variable = DeviceVariable::new(7_u32)?;
    dev.to_vec()?;
    copy!(locked <- dev)?;
    let (mut up, down) = (
        stream.upload(locked, dev).map_err(TransferError::into_error)?,
        other.download(device_vec![5_u8; 64]?, unified).map_err(TransferError::into_error)?,
    );
    if let Poll::Ready(done) = Pin::new(&mut up).poll(&mut Task::from_waker(Waker::noop())) {
        done.map_err(TransferError::into_error)?;
    }
    drop((up, variable));
    down.wait().map_err(TransferError::into_error)?;
    context.trim(0)
}

/// Runs the program; what it returned, and the calls it made. Nothing may be amiss.
fn run(options: SimOptions) -> (Result<()>, Vec<&'static str>) {
    let sim = Sim::new(options);
    let returned = sim.device(0).and_then(|device| Context::new(&device)).and_then(|context| {
        let returned = program(&context);
        // What was dropped in flight is kept by a thread of memcore's.
        let patience = Instant::now();
        let release = "cuDevicePrimaryCtxRelease_v2";
        let errors = context.take_drop_errors();
        drop(context);
        while !sim.calls().contains(&release) {
            assert!(patience.elapsed() < Duration::from_secs(20), "a context that nobody has is open");
            thread::sleep(Duration::from_micros(100));
        }
        assert_eq!(errors, []);
        returned
    });
    let calls = sim.calls();
    let violations = sim.finish();
    assert!(violations.is_empty(), "{}", violations[0]);
    (returned, calls)
}

#[test]
fn at_any_call() {
    log::set_logger(&Logger).unwrap();
    log::set_max_level(LevelFilter::Error);
    for options in [SimOptions::default(), SimOptions::default().without_pools()] {
        let (clean, calls) = run(options.clone());
        clean.unwrap();
        for (place, entry) in calls.iter().enumerate() {
            let n = calls[..=place].iter().filter(|call| *call == entry).count() as u64;
            let started = Instant::now();
            let (returned, _) = run(options.clone().fail(Fault::deinitialized(entry, n)));
            if let Err(error) = returned {
                assert_eq!(error.status(), Some(Status::DEINITIALIZED), "call {n} of {entry}: {error}");
            }
            assert!(started.elapsed() < Duration::from_secs(50), "call {n} of {entry} took {:?}", started.elapsed());
            assert_eq!(*ERRORS.lock().unwrap(), [""; 0], "call {n} of {entry}");
        }
        println!("shut down at each of {} calls", calls.len());
    }
    // The twin: with any other code a free that fails is told.
    let sim = Sim::new(SimOptions::default().fail(Fault::nth("cuMemFreeHost", 1, Status::UNKNOWN)));
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    drop(locked_vec![in &context; 1_u8; 4].unwrap());
    assert_eq!(context.take_drop_errors().len(), 1);
    assert!(ERRORS.lock().unwrap()[0].contains("memory was leaked"));
    assert_eq!(sim.finish().len(), 1);
}

/// A simulator that shuts down at the `n`-th call of `entry` from now on, counted in a program that `make`s the same.
fn gone_at<T>(entry: &str, n: u64, make: impl Fn(&Context) -> T) -> (Sim, Context, T) {
    let start = |options: SimOptions| {
        let sim = Sim::new(options);
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let made = make(&context);
        (sim, context, made)
    };
    let before = start(SimOptions::default()).0.calls().iter().filter(|call| **call == entry).count() as u64;
    start(SimOptions::default().fail(Fault::deinitialized(entry, before + n)))
}

#[test]
fn host_memory_whose_context_cannot_be_bound() {
    let make = |context: &Context| {
        let locked = LockedBuffer::from_slice_in(context, &[1_u8]).unwrap();
        (locked, UnifiedBuffer::from_slice_in(context, &[2_u8]).unwrap(), LockedBox::new_in(context, &3_u8).unwrap())
    };
    let (sim, context, (locked, unified, boxed)) = gone_at("cuCtxGetCurrent", 1, make);
    drop(locked);
    unified.try_free().unwrap();
    boxed.try_free().unwrap();
    assert_eq!(context.take_drop_errors(), []);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_constructor_half_way() {
    for entry in ["cuMemcpyHtoDAsync_v2", "cuStreamSynchronize"] {
        let (sim, context, ()) = gone_at(entry, 1, |_| ());
        let error = DeviceBuffer::from_slice_in(&context, &[1_u8, 2]).unwrap_err();
        assert_eq!(error.status(), Some(Status::DEINITIALIZED), "{entry}");
        assert_eq!(context.take_drop_errors(), [], "{entry}");
        assert!(sim.finish().is_empty());
    }
}

/// What is in flight when the driver goes is over: neither a ticket nor a minute is waited for, and nothing is unsettled.
#[test]
fn a_download_in_flight() {
    for entry in ["cuStreamWriteValue32_v2", "cuStreamSynchronize", "cuEventRecord", "cuEventSynchronize"] {
        let (sim, context, (dev, mut locked, stream)) = gone_at(entry, 1, |context| {
            let dev = DeviceBuffer::from_slice_in(context, &[7_u8; 1000]).unwrap();
            (dev, LockedBuffer::filled_in(context, 0_u8, 1000).unwrap(), Stream::new_in(context).unwrap())
        });
        let started = Instant::now();
        if entry.contains("Event") {
            let (dev, locked) = match stream.download(dev, locked).map(Transfer::wait) {
                Err(error) | Ok(Err(error)) => error.into_buffers().expect("the buffers"),
                Ok(Ok(_)) => panic!("{entry}: no driver, and no error"),
            };
            drop((dev, locked));
        } else {
            let error = stream.scope(|s| copy!(locked <- dev, s)).unwrap_err();
            assert_eq!(error.status(), Some(Status::DEINITIALIZED), "{entry}");
            let seen = locked.to_vec();
            thread::sleep(Duration::from_millis(100));
            assert_eq!(*locked, seen, "{entry}: bytes moved after the scope had returned");
            drop((dev, locked));
        }
        assert!(started.elapsed() < Duration::from_secs(50), "{entry}");
        assert_eq!(context.take_drop_errors(), [], "{entry}");
        assert!(sim.finish().is_empty());
    }
}

/// No ticket says that it is done, and need not: the word that it would be written to is gone with the driver.
#[test]
fn a_transfer_without_a_ticket() {
    let options = SimOptions::default()
        .fail(Fault::every("cuStreamWriteValue32_v2", Status::NOT_SUPPORTED))
        .fail(Fault::every("cuEventQuery", Status::DEINITIALIZED));
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let stream = Stream::new_in(&context).unwrap();
    let dev = DeviceBuffer::from_slice_in(&context, &[7_u8; 10]).unwrap();
    let started = Instant::now();
    let error = stream.download(dev, vec![0; 10]).unwrap().wait().unwrap_err();
    assert!(error.into_buffers().is_some() && started.elapsed() < Duration::from_secs(50));
}
