//! Functions that a stream calls on the host.

use std::panic::panic_any;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use memcore::prelude::*;
use memcore::sim::{Fault, Order, Sim, SimOptions, Violation, ViolationKind};
use memcore::{Error, Status, TransferError};

fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options.late_pageable());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

/// Runs a test in a context of its own under every order; then nothing may be amiss.
fn under_every_order(test: impl Fn(&Sim, &Context)) {
    for order in [Order::Lazy, Order::Eager, Order::Random(1), Order::Random(2)] {
        let (sim, context) = open(SimOptions::default().order(order));
        let entered = context.enter();
        test(&sim, &context);
        drop(entered);
        assert_eq!(context.take_drop_errors(), [], "{order:?}");
        let violations = sim.finish();
        assert!(violations.is_empty(), "{order:?}: {}", violations[0]);
    }
}

/// Longer than anything here takes: what is not there by then hangs.
const BOUND: Duration = Duration::from_secs(60);

/// Keeps a stream busy with a function that runs, until it is told to go on.
fn blocked(stream: &Stream) -> mpsc::Sender<()> {
    let (started, has_started) = mpsc::channel();
    let (go, may_go) = mpsc::channel::<()>();
    stream
        .launch_host_function(move || {
            started.send(()).unwrap();
            let _ = may_go.recv();
        })
        .unwrap();
    has_started.recv_timeout(BOUND).unwrap();
    go
}

type Upload = Transfer<LockedBuffer<u8>, DeviceBuffer<u8>>;

/// Counts when it is dropped.
struct Counts(Arc<AtomicU32>);

impl Drop for Counts {
    fn drop(&mut self) {
        self.0.fetch_add(1, SeqCst);
    }
}

#[test]
fn called_once_in_the_stream_s_order() {
    under_every_order(|sim, _| {
        let stream = Stream::new().unwrap();
        let mut dev = device_vec![0_u8; 100].unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        sim.clear_calls();
        stream
            .scope(|s| {
                let dev = s.lend(&mut dev);
                for step in 0..5 {
                    fill!(dev <- step, s)?;
                    let seen = Arc::clone(&seen);
                    s.stream().launch_host_function(move || seen.lock().unwrap().push(step))?;
                }
                Ok::<_, Error>(())
            })
            .unwrap();
        assert_eq!(*seen.lock().unwrap(), [0, 1, 2, 3, 4]);
        assert_eq!(dev.to_vec().unwrap(), [4; 100]);
        assert_eq!(sim.calls().iter().filter(|call| **call == "cuLaunchHostFunc").count(), 5);
    });
}

#[test]
fn called_without_anyone_waiting_for_the_stream() {
    under_every_order(|_, _| {
        let stream = Stream::new().unwrap();
        let (done, is_done) = mpsc::channel();
        stream.launch_host_function(move || done.send(thread::current().id()).unwrap()).unwrap();
        assert_ne!(is_done.recv_timeout(BOUND).unwrap(), thread::current().id());
    });
}

#[test]
fn a_wait_waits_for_a_slow_one_and_a_query_does_not() {
    under_every_order(|_, _| {
        let (stream, event) = (Stream::new().unwrap(), Event::new().unwrap());
        let ran = Arc::new(AtomicU32::new(0));
        let (go, may_go) = mpsc::channel::<()>();
        let of = Arc::clone(&ran);
        stream
            .launch_host_function(move || {
                may_go.recv().unwrap();
                of.store(1, SeqCst);
            })
            .unwrap();
        stream.record(&event).unwrap();
        for _ in 0..10 {
            assert!(!stream.query().unwrap() && !event.query().unwrap());
        }
        // Other streams go on.
        let mut dev = device_vec![1_u8; 10].unwrap();
        fill!(dev <- 2, &Stream::new().unwrap()).unwrap();
        assert_eq!(ran.load(SeqCst), 0);
        go.send(()).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(ran.load(SeqCst), 1);
        assert!(event.query().unwrap());
    });
}

#[test]
fn memory_used_behind_one_is_freed_when_it_has_returned() {
    for order in [Order::Lazy, Order::Eager, Order::Random(1)] {
        let (sim, context) = open(SimOptions::default().order(order));
        let _entered = context.enter();
        let stream = Stream::new().unwrap();
        let mut locked = locked_vec![0_u8; 5000].unwrap();
        let dev = device_vec![3_u8; 5000].unwrap();
        let returned = Arc::new(AtomicU32::new(0));
        let of = Arc::clone(&returned);
        let go = blocked(&stream);
        stream.launch_host_function(move || of.store(1, SeqCst)).unwrap();
        // SAFETY: none: `locked` is freed in flight. A GPU waits then, which nothing promises.
        unsafe { copy!(locked <- dev, async stream).unwrap() };
        thread::scope(|threads| {
            let freeing = threads.spawn(|| locked.try_free().map_err(|(error, _)| error));
            go.send(()).unwrap();
            assert_eq!(freeing.join().unwrap(), Ok(()));
            assert_eq!(returned.load(SeqCst), 1);
        });
        stream.synchronize().unwrap();
        drop((dev, stream));
        let kinds: Vec<_> = sim.finish().iter().map(Violation::kind).collect();
        assert_eq!(kinds, [ViolationKind::HostInFlight]);
    }
}

#[test]
fn owners_dropped_behind_one_that_runs_in_a_dead_context_do_not_hang() {
    let fault = Fault::sticky("cuMemsetD8Async", 1, Status::ILLEGAL_ADDRESS);
    let (sim, context) = open(SimOptions::default().fail(fault));
    let stream = Stream::new_in(&context).unwrap();
    let mut locked = LockedBuffer::filled_in(&context, 0_u8, 100).unwrap();
    let dev = DeviceBuffer::<u8>::from_slice_in(&context, &[9; 100]).unwrap();
    let mut doomed = DeviceBuffer::<u8>::from_slice_in(&context, &[0; 8]).unwrap();
    let go = blocked(&stream);
    // SAFETY: nothing else uses either; in the dead context they leak.
    unsafe { copy!(locked <- dev, async stream).unwrap() };
    assert!(fill!(doomed <- 1).is_err());
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        drop((locked, dev, doomed, stream, context));
        send.send(()).unwrap();
    });
    receive.recv_timeout(BOUND).expect("a drop hangs");
    go.send(()).unwrap();
    drop(sim.finish());
}

#[test]
fn a_panic_ends_in_it() {
    struct PanicsWhenDropped;
    impl Drop for PanicsWhenDropped {
        fn drop(&mut self) {
            panic!("in the drop of a payload");
        }
    }
    under_every_order(|_, _| {
        let stream = Stream::new().unwrap();
        stream.launch_host_function(|| panic!("on purpose")).unwrap();
        stream.launch_host_function(|| panic_any(PanicsWhenDropped)).unwrap();
        let ran = Arc::new(AtomicU32::new(0));
        let of = Arc::clone(&ran);
        stream.launch_host_function(move || of.store(1, SeqCst)).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(ran.load(SeqCst), 1);
    });
}

#[test]
fn calls_in_it_are_refused_and_what_it_drops_leaks() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let stream = Stream::new().unwrap();
    let (mut dev, owned) = (device_vec![1_u8; 4].unwrap(), device_vec![2_u8; 4].unwrap());
    let (send, receive) = mpsc::channel();
    let inner = Stream::new().unwrap();
    stream
        .launch_host_function(move || {
            let results = [
                dev.to_vec().map(drop),
                fill!(dev <- 3),
                inner.synchronize(),
                inner.scope(|_| Ok(())),
                inner.launch_host_function(|| unreachable!()),
            ];
            drop(owned);
            send.send((results, dev, inner)).unwrap();
        })
        .unwrap();
    let (results, dev, _inner) = receive.recv().unwrap();
    for result in results {
        assert_eq!(result.unwrap_err().status(), Some(Status::NOT_PERMITTED));
    }
    stream.synchronize().unwrap();
    // Outside, all is well.
    assert_eq!(dev.to_vec().unwrap(), [1; 4]);
    let errors = context.take_drop_errors();
    assert_eq!(errors.iter().map(Error::status).collect::<Vec<_>>(), [Some(Status::NOT_PERMITTED)]);
    drop(dev);
    assert_eq!(context.take_drop_errors(), []);
    assert_eq!(sim.finish().len(), 1, "what was dropped in the function leaks, and nothing else");
}

#[test]
fn a_transfer_in_it_is_not_waited_for_and_frees_its_buffers_later() {
    under_every_order(|sim, _| {
        let stream = Stream::new().unwrap();
        let (hand_over, take) = mpsc::channel();
        let (send, receive) = mpsc::channel();
        stream
            .launch_host_function(move || {
                // Two that stand behind this function: one is waited for, one dropped.
                let (waited, dropped): (Upload, Upload) = take.recv().unwrap();
                drop(dropped);
                send.send(waited.wait().map(drop)).unwrap();
            })
            .unwrap();
        let upload = || stream.upload(LockedBuffer::filled(1, 8).unwrap(), device_vec![0_u8; 8].unwrap()).unwrap();
        hand_over.send((upload(), upload())).unwrap();
        let error: TransferError<_, _> = receive.recv().unwrap().unwrap_err();
        assert_eq!(error.error().status(), Some(Status::NOT_PERMITTED));
        assert!(error.into_buffers().is_none());
        stream.synchronize().unwrap();
        // The thread that keeps transfers frees what they owned: nothing leaks in the end.
        let since = Instant::now();
        for free in ["cuMemFreeHost", "cuMemFreeAsync"] {
            while sim.calls().iter().filter(|call| **call == free).count() < 2 {
                assert!(since.elapsed() < BOUND, "{free} was not called");
                thread::yield_now();
            }
        }
    });
}

#[test]
fn refused_it_is_dropped_and_not_called() {
    for status in [Status::OUT_OF_MEMORY, Status::NOT_SUPPORTED] {
        let (sim, context) = open(SimOptions::default().fail(Fault::nth("cuLaunchHostFunc", 1, status)));
        let stream = Stream::new_in(&context).unwrap();
        let drops = Arc::new(AtomicU32::new(0));
        let counts = Counts(Arc::clone(&drops));
        let error = stream.launch_host_function(move || unreachable!("{:p}", &counts)).unwrap_err();
        assert_eq!(error.status(), Some(status));
        assert_eq!(drops.load(SeqCst), 1);
        stream.launch_host_function(|| ()).unwrap();
        stream.synchronize().unwrap();
        assert!(sim.finish().is_empty());
    }
    let (_sim, context) = open(SimOptions::default().without_symbol("cuLaunchHostFunc"));
    let error = Stream::new_in(&context).unwrap().launch_host_function(|| ()).unwrap_err();
    assert!(matches!(error, Error::MissingSymbol { .. }), "{error}");
}

#[test]
fn in_a_dead_context_it_is_not_called_and_nothing_hangs() {
    let fault = Fault::sticky("cuMemsetD8Async", 1, Status::ILLEGAL_ADDRESS);
    let (_sim, context) = open(SimOptions::default().fail(fault));
    let _entered = context.enter();
    let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut locked = locked_vec![0_u8; 100].unwrap();
    let dev = DeviceBuffer::<u8>::from_slice(&[9; 100]).unwrap();
    let go = blocked(&stream);
    stream.launch_host_function(|| panic!("called in a dead context")).unwrap();
    let mut doomed = DeviceBuffer::<u8>::from_slice(&[0; 8]).unwrap();
    let error = fill!(doomed <- 1, other).unwrap_err();
    assert_eq!(error.status(), Some(Status::ILLEGAL_ADDRESS));
    // The wait returns at once, with the function still running.
    assert_eq!(stream.synchronize().unwrap_err().status(), Some(Status::ILLEGAL_ADDRESS));
    go.send(()).unwrap();
    // A scope with nothing host-visible in flight returns too.
    assert!(stream.scope(|s| copy!(locked <- dev, s)).is_err());
    std::mem::forget((dev, doomed, locked));
}

#[test]
fn a_stream_dropped_before_its_turn_calls_it_all_the_same() {
    under_every_order(|_, _| {
        let (done, is_done) = mpsc::channel();
        let stream = Stream::new().unwrap();
        stream.launch_host_function(move || done.send(()).unwrap()).unwrap();
        drop(stream);
        is_done.recv_timeout(BOUND).unwrap();
    });
}

#[test]
fn the_end_of_the_simulation_waits_for_it() {
    let (sim, context) = open(SimOptions::default());
    let ran = Arc::new(AtomicU32::new(0));
    let stream = Stream::new_in(&context).unwrap();
    for _ in 0..3 {
        let of = Arc::clone(&ran);
        let count = move || {
            thread::sleep(Duration::from_millis(5));
            of.fetch_add(1, SeqCst);
        };
        stream.launch_host_function(count).unwrap();
    }
    assert!(sim.finish().is_empty());
    assert_eq!(ran.load(SeqCst), 3);
}

#[test]
fn events_order_streams_behind_it() {
    under_every_order(|_, _| {
        let (first, second, event) = (Stream::new().unwrap(), Stream::new().unwrap(), Event::new().unwrap());
        let mut dev = device_vec![0_u8; 100].unwrap();
        let go = blocked(&first);
        first.record(&event).unwrap();
        second.wait_event(&event).unwrap();
        // SAFETY: nothing else uses it before the wait.
        unsafe { dev.set_8_async(5, &second).unwrap() };
        for _ in 0..10 {
            assert!(!second.query().unwrap());
        }
        go.send(()).unwrap();
        second.synchronize().unwrap();
        assert_eq!(dev.to_vec().unwrap(), [5; 100]);
    });
}

#[test]
fn behind_one_in_a_context_that_dies_nothing_lands_in_memory_given_back() {
    // The copy blocks in its call; another thread's call kills the context; the program has its memory again.
    for scoped in [true, false] {
        for order in [Order::Lazy, Order::Eager] {
            let fault = Fault::sticky("cuMemsetD8Async", 2, Status::ILLEGAL_ADDRESS);
            // With pageable memory used within the call: used later, the copy would not block in it.
            let sim = Sim::new(SimOptions::default().order(order).fail(fault));
            let context = Context::new(&sim.device(0).unwrap()).unwrap();
            let _entered = context.enter();
            let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
            let dev = DeviceBuffer::<u8>::from_slice(&[7; 4096]).unwrap();
            let mut doomed = DeviceBuffer::<u8>::zeroed(8).unwrap();
            let mut back = vec![1_u8; 4096];
            let go = blocked(&stream);
            thread::scope(|threads| {
                let copying = threads.spawn(|| {
                    let _entered = context.enter();
                    if scoped { stream.scope(|s| copy!(back <- dev, s)) } else { copy!(back <- dev, stream) }
                });
                // It is in the call, or will find the context dead: right either way.
                thread::sleep(Duration::from_millis(20));
                assert!(fill!(doomed <- 1, other).is_err());
                assert!(copying.join().unwrap().is_err());
            });
            let at_once = back.clone();
            go.send(()).unwrap();
            thread::sleep(Duration::from_millis(150));
            assert!(back == at_once, "{order:?}: bytes moved after the call had returned");
            std::mem::forget((dev, doomed));
        }
    }
}

#[test]
fn the_end_of_the_simulation_waits_for_live_contexts_beside_a_dead_one() {
    let fault = Fault::sticky("cuMemsetD8Async", 1, Status::ILLEGAL_ADDRESS);
    let sim = Sim::new(SimOptions::default().devices(2).fail(fault));
    let dead = Context::new(&sim.device(0).unwrap()).unwrap();
    let live = Context::new(&sim.device(1).unwrap()).unwrap();
    let (dying, other, living) =
        (Stream::new_in(&dead).unwrap(), Stream::new_in(&dead).unwrap(), Stream::new_in(&live).unwrap());
    let mut doomed = DeviceBuffer::<u8>::from_slice_in(&dead, &[0; 8]).unwrap();
    let (started, has_started) = mpsc::channel();
    dying
        .launch_host_function(move || {
            started.send(()).unwrap();
            thread::sleep(Duration::from_millis(20));
        })
        .unwrap();
    let ran = Arc::new(AtomicU32::new(0));
    let of = Arc::clone(&ran);
    living.launch_host_function(move || of.store(1, SeqCst)).unwrap();
    has_started.recv().unwrap();
    assert!(fill!(doomed <- 1, other).is_err());
    std::mem::forget(doomed);
    drop(sim.finish());
    assert_eq!(ran.load(SeqCst), 1);
}
