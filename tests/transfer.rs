//! Copies that own their buffers.

use std::future::Future;
use std::mem::forget;
use std::panic::resume_unwind;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context as Task, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

use memcore::prelude::*;
use memcore::sim::{Fault, Order, Sim, SimOptions, ViolationKind};
use memcore::{Error, Status, TransferError};

const LEN: usize = 10_000;

fn open(options: SimOptions) -> (Sim, Context) {
    // As late as can be: what a transfer owns is used when nobody else keeps it.
    let sim = Sim::new(options.late_pageable());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

/// The smallest executor: it parks the thread until it is woken.
fn block_on<F: Future>(future: F) -> (F::Output, usize) {
    struct Unpark(thread::Thread, AtomicUsize);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.1.fetch_add(1, Ordering::SeqCst);
            self.0.unpark();
        }
    }
    let unpark = Arc::new(Unpark(thread::current(), AtomicUsize::new(0)));
    let waker = Waker::from(Arc::clone(&unpark));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Task::from_waker(&waker)) {
            return (output, unpark.1.load(Ordering::SeqCst));
        }
        thread::park();
    }
}

#[test]
fn every_buffer_goes_there_and_back() {
    for order in [Order::Lazy, Order::Eager, Order::Random(7)] {
        let (sim, context) = open(SimOptions::default().order(order));
        let _entered = context.enter();
        let stream = Stream::new().unwrap();
        let host: Vec<u16> = (0..LEN as u16).collect();
        let dev = || DeviceBuffer::<u16>::zeroed(LEN).unwrap();

        let (locked, dev1) = stream.upload(LockedBuffer::from_slice(&host).unwrap(), dev()).unwrap().wait().unwrap();
        let (vec, dev2) = stream.upload(host.clone(), dev()).unwrap().wait().unwrap();
        let (boxed, dev3) = stream.upload(host.clone().into_boxed_slice(), dev()).unwrap().wait().unwrap();
        let unified = UnifiedBuffer::from_slice(&host).unwrap();
        let (unified, dev4) = stream.upload(unified, dev()).unwrap().wait().unwrap();
        let shared = Arc::new(host.clone());
        let (shared, dev5) = stream.upload(Arc::clone(&shared), dev()).unwrap().wait().unwrap();
        assert!(*locked == *host && vec == host && *boxed == *host && *unified == *host && *shared == host);
        for dev in [&dev1, &dev2, &dev3, &dev4, &dev5] {
            assert!(dev.to_vec().unwrap() == host);
        }

        let (_, to_locked) = stream.download(dev1, LockedBuffer::filled(0, LEN).unwrap()).unwrap().wait().unwrap();
        let (_, to_vec) = stream.download(dev2, vec![0; LEN]).unwrap().wait().unwrap();
        let (_, to_box) = stream.download(dev3, vec![0; LEN].into_boxed_slice()).unwrap().wait().unwrap();
        let (_, to_unified) = stream.download(dev4, UnifiedBuffer::filled(0, LEN).unwrap()).unwrap().wait().unwrap();
        assert!(*to_locked == *host && to_vec == host && *to_box == *host && *to_unified == *host);
        drop((dev5, locked, unified, to_locked, to_unified));
        assert!(sim.finish().is_empty());
    }
}

#[test]
fn under_lazy_order_the_first_poll_is_pending() {
    let (sim, context) = open(SimOptions::default());
    let stream = Stream::new_in(&context).unwrap();
    let host = LockedBuffer::filled_in(&context, 7_u8, LEN).unwrap();
    let dev = DeviceBuffer::zeroed_in(&context, LEN).unwrap();
    let transfer = stream.upload(host, dev).unwrap();
    let transfer = match transfer.try_wait() {
        Err(transfer) => transfer,
        Ok(_) => panic!("the copy was done at once"),
    };
    let (result, wakes) = block_on(transfer);
    let (_, dev) = result.unwrap();
    assert!(wakes > 0);
    assert_eq!(dev.to_vec().unwrap(), [7; LEN]);
    drop(dev);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_transfer_can_be_awaited_in_a_task_that_moves_between_threads() {
    let (_sim, context) = open(SimOptions::default());
    let work = async move {
        let stream = Stream::new_in(&context)?;
        let dev = DeviceBuffer::zeroed_in(&context, LEN)?;
        let upload = stream.upload(vec![3_u32; LEN], dev).map_err(TransferError::into_error)?;
        let (_, dev) = upload.await.map_err(TransferError::into_error)?;
        let download = stream.download(dev, vec![0; LEN]).map_err(TransferError::into_error)?;
        let (_, host) = download.await.map_err(TransferError::into_error)?;
        Ok::<_, Error>(host)
    };
    let host = thread::spawn(move || block_on(work).0).join().unwrap().unwrap();
    assert_eq!(host, [3; LEN]);
}

#[test]
fn dropped_in_flight_it_finishes_and_frees() {
    let (sim, context) = open(SimOptions::default());
    let stream = Stream::new_in(&context).unwrap();
    for _ in 0..10 {
        let host = LockedBuffer::filled_in(&context, 7_u8, LEN).unwrap();
        let dev = DeviceBuffer::zeroed_in(&context, LEN).unwrap();
        drop(stream.upload(host, dev).unwrap());
    }
    drop(stream);
    // The thread that keeps them lets them go when they are done.
    for _ in 0..1000 {
        if sim.calls().iter().filter(|call| **call == "cuMemFreeHost").count() >= 10 {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    assert!(context.take_drop_errors().is_empty());
    assert!(sim.finish().is_empty());
}

#[test]
fn forgotten_it_leaks_and_nothing_else() {
    let (sim, context) = open(SimOptions::default());
    let stream = Stream::new_in(&context).unwrap();
    let host = LockedBuffer::filled_in(&context, 7_u8, LEN).unwrap();
    forget(stream.upload(host, DeviceBuffer::zeroed_in(&context, LEN).unwrap()).unwrap());
    drop(stream);
    let kinds: Vec<_> = sim.finish().iter().map(memcore::sim::Violation::kind).collect();
    assert_eq!(kinds, [ViolationKind::Leak, ViolationKind::Leak]);
}

#[test]
fn mistakes_give_the_buffers_back() {
    let (sim, context) = open(SimOptions::default().fail(Fault::nth("cuMemcpyHtoDAsync_v2", 1, Status(4242))));
    let stream = Stream::new_in(&context).unwrap();
    let dev = DeviceBuffer::<u8>::zeroed_in(&context, 4).unwrap();
    let error: TransferError<_, _> = stream.upload(vec![1_u8, 2, 3], dev).unwrap_err();
    assert_eq!(error.error(), &Error::LengthMismatch { destination_len: 4, source_len: 3 });
    let (mut vec, dev) = error.into_buffers().unwrap();
    vec.push(4);
    let error = stream.upload(vec, dev).unwrap_err();
    assert_eq!(error.error().status(), Some(Status(4242)));
    let (vec, dev) = error.into_buffers().unwrap();
    let (_, dev) = stream.upload(vec, dev).unwrap().wait().unwrap();
    assert_eq!(dev.to_vec().unwrap(), [1, 2, 3, 4]);
    drop(dev);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_context_that_dies_resolves_it_with_the_error() {
    for awaited in [false, true] {
        let (_sim, context) =
            open(SimOptions::default().fail(Fault::sticky("cuEventQuery", 1, Status::ILLEGAL_ADDRESS)));
        let stream = Stream::new_in(&context).unwrap();
        let dev = DeviceBuffer::filled_in(&context, 7_u8, LEN).unwrap();
        let transfer = stream.download(dev, LockedBuffer::filled_in(&context, 0_u8, LEN).unwrap()).unwrap();
        let error = if awaited { block_on(transfer).0 } else { transfer.wait() }.unwrap_err();
        assert_eq!(error.error().status(), Some(Status::ILLEGAL_ADDRESS));
        if let Some((_, host)) = error.into_buffers() {
            let then = host.to_vec();
            thread::sleep(Duration::from_millis(200));
            assert!(*host == then, "bytes moved after the transfer was done");
        }
    }
}

/// The context dies between the copy and its marks: nothing says that the device is done.
#[test]
fn what_may_be_in_flight_is_never_freed() {
    let options = || SimOptions::default().fail(Fault::sticky("cuStreamWriteValue32_v2", 1, Status::ILLEGAL_ADDRESS));

    let (_sim, context) = open(options());
    let stream = Stream::new_in(&context).unwrap();
    let shared = Arc::new(vec![7_u8; LEN]);
    let watched = Arc::downgrade(&shared);
    let error = stream.upload(shared, DeviceBuffer::zeroed_in(&context, LEN).unwrap()).unwrap_err();
    assert!(error.into_buffers().is_none());
    assert!(watched.upgrade().is_some_and(|host| *host == [7; LEN]), "freed while it may be read");

    let (sim, context) = open(options());
    let stream = Stream::new_in(&context).unwrap();
    let locked = LockedBuffer::filled_in(&context, 7_u8, LEN).unwrap();
    let error = stream.upload(locked, DeviceBuffer::zeroed_in(&context, LEN).unwrap()).unwrap_err();
    assert!(error.into_buffers().is_none());
    assert!(!sim.calls().contains(&"cuMemFreeHost"));
}

#[test]
fn empty_transfers_are_done_at_once() {
    let (sim, context) = open(SimOptions::default());
    let stream = Stream::new_in(&context).unwrap();
    let (vec, dev) = stream.upload(Vec::<u8>::new(), DeviceBuffer::default()).unwrap().try_wait().unwrap().unwrap();
    assert!(vec.is_empty() && dev.is_empty());
    assert!(sim.finish().is_empty());
}

/// A waker is the program's own code, and runs on the thread that all transfers share.
#[test]
fn a_waker_that_panics_keeps_nobody_from_being_woken() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            resume_unwind(Box::new("a waker"));
        }
    }
    let (sim, context) = open(SimOptions::default());
    let stream = Stream::new_in(&context).unwrap();
    let in_flight = || {
        let dev = DeviceBuffer::filled_in(&context, 7_u8, LEN).unwrap();
        stream.download(dev, LockedBuffer::filled_in(&context, 0_u8, LEN).unwrap()).unwrap()
    };
    let (mut panicking, awaited, dropped) = (in_flight(), in_flight(), in_flight());
    assert!(pin!(&mut panicking).poll(&mut Task::from_waker(&Waker::from(Arc::new(Panics)))).is_pending());
    drop(dropped);
    // With others that are woken too, before it and after it.
    let other = in_flight();
    let others = thread::spawn(move || block_on(other).0.unwrap());
    assert!(*block_on(awaited).0.unwrap().1 == [7; LEN]);
    assert!(*others.join().unwrap().1 == [7; LEN]);
    assert!(*panicking.wait().unwrap().1 == [7; LEN]);
    drop(stream);
    for _ in 0..1000 {
        if sim.calls().iter().filter(|call| **call == "cuMemFreeHost").count() >= 5 {
            break;
        }
        thread::sleep(Duration::from_millis(5));
    }
    drop(context);
    assert!(sim.finish().is_empty());
}

#[test]
fn closing_a_context_holds_up_no_other_transfer() {
    // A dropped transfer is its context's last owner; closing that waits for a host function, which waits for a transfer of
    // another simulator.
    let (_sim, context) = open(SimOptions::default());
    let (_other, elsewhere) = open(SimOptions::default());
    let (go, may_go) = std::sync::mpsc::channel::<()>();
    {
        let stream = Stream::new_in(&context).unwrap();
        let host = LockedBuffer::filled_in(&context, 7_u8, LEN).unwrap();
        let dev = DeviceBuffer::zeroed_in(&context, LEN).unwrap();
        drop(stream.upload(host, dev).unwrap());
        stream.launch_host_function(move || may_go.recv().unwrap_or_default()).unwrap();
    }
    drop(context);
    let (send, receive) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let stream = Stream::new_in(&elsewhere).unwrap();
        for _ in 0..20 {
            let (host, dev) = (vec![7_u8; LEN], DeviceBuffer::zeroed_in(&elsewhere, LEN).unwrap());
            let (done, _) = block_on(stream.upload(host, dev).unwrap());
            assert!(done.is_ok());
        }
        send.send(()).unwrap();
    });
    receive.recv_timeout(Duration::from_secs(60)).expect("an awaited transfer hangs");
    go.send(()).unwrap();
}
