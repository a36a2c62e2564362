//! Beside a stream that another library captures: memcore works, and leaves the capture alone.

#[path = "support/everything.rs"]
mod everything;

use std::thread;

use everything::everything;
use memcore::prelude::*;
use memcore::sim::{CaptureMode, Order, Sim, SimOptions};
use memcore::{AttachFlag, Error, Status};

const MODES: [CaptureMode; 3] = [CaptureMode::Global, CaptureMode::ThreadLocal, CaptureMode::Relaxed];

fn open(order: Order) -> (Sim, Context) {
    let sim = Sim::new(SimOptions::default().order(order).late_pageable());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

#[test]
fn captures_of_other_threads_survive_everything() {
    for order in [Order::Lazy, Order::Eager, Order::Random(3)] {
        for mode in MODES {
            let (sim, context) = open(order);
            let mut captured = Stream::new_in(&context).unwrap();
            let capture = sim.begin_capture(&mut captured, mode).unwrap();
            thread::scope(|scope| {
                let working = scope.spawn(|| {
                    let _entered = context.enter();
                    everything(&context)
                });
                assert_eq!(working.join().unwrap(), Ok(()), "{mode:?}");
            });
            assert_eq!(capture.end(), Ok(()), "{mode:?}");
            drop(captured);
            assert!(sim.finish().is_empty());
        }
    }
}

#[test]
fn captures_of_this_thread_survive_everything() {
    for mode in MODES {
        let (sim, context) = open(Order::Lazy);
        let _entered = context.enter();
        let mut captured = Stream::new().unwrap();
        let capture = sim.begin_capture(&mut captured, mode).unwrap();
        assert_eq!(everything(&context), Ok(()), "{mode:?}");
        assert_eq!(capture.end(), Ok(()), "{mode:?}");
    }
}

#[test]
fn a_captured_stream_is_refused_and_its_capture_survives() {
    let (sim, context) = open(Order::Lazy);
    let _entered = context.enter();
    let mut dev = device_vec![7_u8; 4].unwrap();
    let (event, mut captured) = (Event::new().unwrap(), Stream::new().unwrap());
    let capture = sim.begin_capture(&mut captured, CaptureMode::Global).unwrap();
    let stream = capture.stream();
    let refused = Err(Error::StreamCapturing);
    assert_eq!(fill!(dev <- 1, stream), refused);
    assert_eq!(copy!(dev <- [1, 2, 3, 4], stream), refused);
    assert_eq!(stream.synchronize(), refused);
    assert_eq!(stream.query().map(drop), refused);
    assert_eq!(stream.record(&event), refused);
    assert_eq!(stream.wait_event(&event), refused);
    let mut unified = unified_vec![1_u8; 10].unwrap();
    assert_eq!(unified.prefetch_host(stream), refused);
    assert_eq!(unified.attach(stream, AttachFlag::Global), refused);
    // SAFETY: it is refused.
    assert_eq!(unsafe { unified.attach_single(stream) }, refused);
    drop(unified);
    assert_eq!(stream.launch_host_function(|| unreachable!()), refused);
    assert_eq!(stream.scope(|_| -> memcore::Result<()> { unreachable!("the scope was entered") }), refused);
    assert_eq!(
        memcore::scope(|all| all.on(stream, |_| -> memcore::Result<()> { unreachable!("the scope was entered") })),
        refused
    );
    let upload = stream.upload(vec![1_u8; 4], dev).unwrap_err();
    assert_eq!(upload.error(), &Error::StreamCapturing);
    let (_, dev) = upload.into_buffers().expect("nothing was queued");
    capture.end().unwrap();
    assert_eq!(dev.to_vec().unwrap(), [7; 4]);
    drop((dev, event, captured));
    assert!(sim.finish().is_empty());
}

#[test]
fn waiting_for_a_whole_context_ends_a_capture() {
    let (sim, context) = open(Order::Lazy);
    let mut captured = Stream::new_in(&context).unwrap();
    let capture = sim.begin_capture(&mut captured, CaptureMode::Relaxed).unwrap();
    assert_eq!(context.synchronize().unwrap_err().status(), Some(Status::STREAM_CAPTURE_UNSUPPORTED));
    assert_eq!(capture.end().unwrap_err().status(), Some(Status::STREAM_CAPTURE_INVALIDATED));
    assert_eq!(context.synchronize(), Ok(()));
}

#[test]
fn a_forgotten_capture_ends_with_its_stream() {
    for invalidated in [false, true] {
        let (sim, context) = open(Order::Lazy);
        let mut captured = Stream::new_in(&context).unwrap();
        std::mem::forget(sim.begin_capture(&mut captured, CaptureMode::Relaxed).unwrap());
        if invalidated {
            assert!(context.synchronize().is_err());
        }
        drop(captured);
        assert_eq!(context.synchronize(), Ok(()));
        assert!(sim.finish().is_empty());
    }
}

#[test]
fn what_cannot_be_captured_is_an_error() {
    let ((sim, context), (other, _)) = (open(Order::Lazy), open(Order::Lazy));
    let mut stream = Stream::new_in(&context).unwrap();
    let error = other.begin_capture(&mut stream, CaptureMode::Relaxed).map(drop).unwrap_err();
    assert_eq!(error, Error::DifferentDrivers);
    let error = sim.begin_capture(&mut Stream::legacy_in(&context), CaptureMode::Relaxed).map(drop).unwrap_err();
    assert_eq!(error.status(), Some(Status::STREAM_CAPTURE_UNSUPPORTED));
    // A capture that is dropped has ended.
    drop(sim.begin_capture(&mut stream, CaptureMode::Relaxed).unwrap());
    stream.synchronize().unwrap();
}
