//! Transfers awaited in tasks of tokio, on both of its runtimes: side by side, cancelled, in a context that dies, moved
//! between threads.

use std::future::{Future, poll_fn, ready};
use std::mem::forget;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::thread;
use std::time::Duration;

use memcore::prelude::*;
use memcore::sim::{Fault, Order, Sim, SimOptions, ViolationKind};
use memcore::{Error, Status, TransferError};
use tokio::runtime::{Builder, Runtime};
use tokio::time::{Instant, timeout, timeout_at};

const LEN: usize = 3000;

/// What takes longer hangs.
const BOUND: Duration = Duration::from_secs(60);

const ORDERS: [Order; 5] = [Order::Lazy, Order::Eager, Order::Random(1), Order::Random(2), Order::Random(3)];

fn runtimes() -> [Runtime; 2] {
    let build = |mut builder: Builder| builder.enable_time().build().unwrap();
    let mut on_threads = Builder::new_multi_thread();
    on_threads.worker_threads(3);
    [build(Builder::new_current_thread()), build(on_threads)]
}

fn open(options: SimOptions) -> (Sim, Context) {
    // As late as can be.
    let sim = Sim::new(options.late_pageable());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

/// Runs a test as a task of each runtime under every order; then nothing may be amiss, or in flight, and all is freed.
#[track_caller]
fn on_each_runtime<F: Future<Output = ()> + Send + 'static>(test: impl Fn(Context) -> F) {
    for order in ORDERS {
        for runtime in runtimes() {
            let (sim, context) = open(SimOptions::default().order(order));
            let task = runtime.spawn(test(context.clone()));
            runtime.block_on(async { timeout(BOUND, task).await.expect("it hangs").unwrap() });
            drop(runtime);
            settled(&sim);
            assert_eq!(context.take_drop_errors(), [], "{order:?}");
            drop(context);
            let violations = sim.finish();
            assert!(violations.is_empty(), "{order:?}: {}", violations[0]);
        }
    }
}

/// Waits until all that was allocated is freed, the words of the streams' tickets included: memcore's thread keeps what
/// was in flight.
#[track_caller]
fn settled(sim: &Sim) {
    let made_and_freed = || {
        let calls = sim.calls();
        let count = |entry| calls.iter().filter(|call| **call == entry).count();
        [("cuMemHostAlloc", "cuMemFreeHost"), ("cuMemAllocFromPoolAsync", "cuMemFreeAsync")]
            .map(|(make, free)| (count(make), count(free)))
    };
    let is_settled = || made_and_freed().iter().all(|(made, freed)| made == freed);
    for _ in 0..2000 {
        if is_settled() {
            return;
        }
        thread::sleep(Duration::from_millis(5));
    }
    panic!("made and freed: {:?}", made_and_freed());
}

fn pattern(seed: u32) -> Vec<u32> {
    (0..LEN as u32).map(|i| (i ^ seed).wrapping_mul(2_654_435_761)).collect()
}

/// Up into new device memory.
async fn up(context: &Context, stream: &Stream, host: &[u32]) -> Result<DeviceBuffer<u32>, Error> {
    let source = LockedBuffer::filled_in(context, 0_u32, host.len()).map(|mut source| {
        source.copy_from_slice(host);
        source
    })?;
    let upload = stream.upload(source, DeviceBuffer::zeroed_in(context, host.len())?);
    let (_, dev) = upload.map_err(TransferError::into_error)?.await.map_err(TransferError::into_error)?;
    Ok(dev)
}

/// Down into new page-locked memory.
async fn down(context: &Context, stream: &Stream, dev: DeviceBuffer<u32>) -> Result<LockedBuffer<u32>, Error> {
    let download = stream.download(dev, LockedBuffer::filled_in(context, 0_u32, LEN)?);
    let (_, host) = download.map_err(TransferError::into_error)?.await.map_err(TransferError::into_error)?;
    Ok(host)
}

async fn there_and_back(context: &Context, stream: &Stream, seed: u32) -> Result<bool, Error> {
    let dev = up(context, stream, &pattern(seed)).await?;
    Ok(*down(context, stream, dev).await? == *pattern(seed))
}

/// A download in flight, of sevens.
fn in_flight(context: &Context, stream: &Stream) -> Transfer<DeviceBuffer<u32>, LockedBuffer<u32>> {
    let dev = DeviceBuffer::filled_in(context, 7, LEN).unwrap();
    stream.download(dev, LockedBuffer::filled_in(context, 0, LEN).unwrap()).unwrap()
}

/// A deadline that has passed: what is awaited is polled once.
fn passed() -> Instant {
    Instant::now() - Duration::from_millis(50)
}

#[test]
fn uploads_and_downloads_are_awaited() {
    on_each_runtime(|context| async move {
        let stream = Stream::new_in(&context).unwrap();
        for seed in 0..5 {
            assert!(there_and_back(&context, &stream, seed).await.unwrap());
        }
        let (vec, dev) =
            stream.upload(pattern(9), DeviceBuffer::zeroed_in(&context, LEN).unwrap()).unwrap().await.unwrap();
        let (_, back) = stream.download(dev, vec![0; LEN]).unwrap().await.unwrap();
        assert!(vec == pattern(9) && back == vec);
    });
}

#[test]
fn many_are_awaited_at_once() {
    on_each_runtime(|context| async move {
        let (first, second) = (Stream::new_in(&context).unwrap(), Stream::new_in(&context).unwrap());
        let joined = tokio::join!(
            there_and_back(&context, &first, 1),
            there_and_back(&context, &second, 2),
            there_and_back(&context, &first, 3),
            there_and_back(&context, &second, 4),
        );
        assert_eq!(joined, (Ok(true), Ok(true), Ok(true), Ok(true)));
        let streams = Arc::new([first, second]);
        let tasks: Vec<_> = (0..40)
            .map(|seed| {
                let (context, streams) = (context.clone(), Arc::clone(&streams));
                tokio::spawn(async move { there_and_back(&context, &streams[seed as usize % 2], seed).await })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), Ok(true));
        }
    });
}

/// The loser of a `select!` is dropped, and so are its buffers, but not before the copy is done.
#[test]
fn what_is_cancelled_finishes_and_frees() {
    on_each_runtime(|context| async move {
        let stream = Stream::new_in(&context).unwrap();
        for _ in 0..10 {
            let transfer = in_flight(&context, &stream);
            tokio::select! { biased; _ = transfer => {}, () = ready(()) => {} }

            let _ = timeout_at(passed(), in_flight(&context, &stream)).await;

            let transfer = in_flight(&context, &stream);
            let task = tokio::spawn(transfer);
            tokio::task::yield_now().await;
            task.abort();
            let ended = task.await;
            assert!(ended.is_ok() || ended.unwrap_err().is_cancelled());

            let transfer = in_flight(&context, &stream);
            let (context, stream) = (context.clone(), Stream::new_in(&context).unwrap());
            tokio::spawn(async move {
                drop((in_flight(&context, &stream), transfer));
                drop(stream);
            });
        }
    });
}

/// Under the lazy order nothing is done when it is first asked about: each of these is really in flight.
#[test]
fn what_is_cancelled_was_in_flight() {
    for runtime in runtimes() {
        let (sim, context) = open(SimOptions::default().order(Order::Lazy));
        runtime.block_on(async {
            let stream = Stream::new_in(&context).unwrap();
            tokio::select! { biased; _ = in_flight(&context, &stream) => panic!("done"), () = ready(()) => {} }
            assert!(timeout_at(passed(), in_flight(&context, &stream)).await.is_err());
            // Of a reference the transfer goes on, and can be asked again.
            let mut transfer = in_flight(&context, &stream);
            tokio::select! { biased; _ = &mut transfer => panic!("done"), () = ready(()) => {} }
            let (_, host) = transfer.await.unwrap();
            assert!(*host == [7; LEN]);
        });
        settled(&sim);
        drop(context);
        assert!(sim.finish().is_empty());
    }
}

/// A source that others read too is theirs alone when the copy is done, and not before.
#[test]
fn a_shared_source_outlives_a_cancelled_upload() {
    on_each_runtime(|context| async move {
        let stream = Stream::new_in(&context).unwrap();
        let source = Arc::new(LockedBuffer::filled_in(&context, 3_u32, LEN).unwrap());
        let upload = stream.upload(Arc::clone(&source), DeviceBuffer::zeroed_in(&context, LEN).unwrap()).unwrap();
        let _ = timeout_at(passed(), upload).await;
        let watched = Arc::downgrade(&source);
        drop(source);
        while watched.upgrade().is_some() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
}

#[test]
fn what_is_forgotten_after_a_poll_leaks_and_nothing_else() {
    for runtime in runtimes() {
        let (sim, context) = open(SimOptions::default());
        runtime.block_on(async {
            let stream = Stream::new_in(&context).unwrap();
            let mut transfer = Box::pin(in_flight(&context, &stream));
            tokio::select! { biased; _ = &mut transfer => panic!("done"), () = ready(()) => {} }
            forget(transfer);
            assert!(there_and_back(&context, &stream, 1).await.unwrap());
        });
        let kinds: Vec<_> = sim.finish().iter().map(memcore::sim::Violation::kind).collect();
        assert_eq!(kinds, [ViolationKind::Leak, ViolationKind::Leak]);
    }
}

/// Every task that awaits something in a context that dies hears of it, within a bound.
#[test]
fn a_context_that_dies_resolves_all_that_is_awaited() {
    for n in [1, 2, 7, 30] {
        for runtime in runtimes() {
            let (_sim, context) =
                open(SimOptions::default().fail(Fault::sticky("cuEventQuery", n, Status::ILLEGAL_ADDRESS)));
            let stream = Stream::new_in(&context).unwrap();
            let transfers: Vec<_> = (0..10).map(|_| in_flight(&context, &stream)).collect();
            let buffers = runtime.block_on(async {
                let tasks: Vec<_> = transfers.into_iter().map(tokio::spawn).collect();
                let mut buffers = Vec::new();
                for task in tasks {
                    match timeout(BOUND, task).await.expect("it hangs").unwrap() {
                        Ok((_, host)) => buffers.push(host),
                        Err(error) => {
                            assert_eq!(error.error().status(), Some(Status::ILLEGAL_ADDRESS));
                            buffers.extend(error.into_buffers().map(|(_, host)| host));
                        }
                    }
                }
                buffers
            });
            // What came back is done with: no byte of it moves any more.
            let seen: Vec<_> = buffers.iter().map(|host| host.to_vec()).collect();
            thread::sleep(Duration::from_millis(150));
            assert!(buffers.iter().zip(&seen).all(|(host, seen)| **host == **seen && **seen == [7; LEN]));
        }
    }
}

/// Polled once on each of three threads: by two runtimes, and by a bare thread in between.
#[test]
fn a_future_is_polled_on_one_thread_after_another() {
    async fn once<F: Future + Unpin>(future: &mut F) -> bool {
        poll_fn(|task| Poll::Ready(Pin::new(&mut *future).poll(task).is_pending())).await
    }
    let (sim, context) = open(SimOptions::default());
    let [here, there] = runtimes();
    let stream = Stream::new_in(&context).unwrap();
    let mut transfer = in_flight(&context, &stream);
    assert!(here.block_on(once(&mut transfer)));
    let (transfer, was_pending) = thread::spawn(move || {
        let [runtime, _] = runtimes();
        let mut transfer = transfer;
        let was_pending = runtime.block_on(once(&mut transfer));
        (transfer, was_pending)
    })
    .join()
    .unwrap();
    assert!(was_pending);
    // The tasks that polled before are gone, and are woken in vain.
    let task = there.spawn(async move {
        let polled_on = thread::current().id();
        (transfer.await, polled_on)
    });
    let (result, polled_on) = there.block_on(async { timeout(BOUND, task).await.expect("it hangs").unwrap() });
    assert_ne!(polled_on, thread::current().id());
    assert!(*result.unwrap().1 == [7; LEN]);
    drop((here, there, stream));
    settled(&sim);
    drop(context);
    assert!(sim.finish().is_empty());
}
