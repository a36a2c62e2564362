//! A wait that fails proves nothing: no safe operation returns before its memory is settled.

#![cfg(unix)]

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::Duration;

use memcore::prelude::*;
use memcore::sim::{Fault, Order, Sim, SimOptions};
use memcore::{Error, Event, Result, Status};

/// So long after a call no byte of its operands may move any more: what a dead context still does takes a fraction of it.
const LONG: Duration = Duration::from_millis(200);

const LEN: usize = 1 << 20;

fn pattern() -> Vec<u8> {
    (0..LEN as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

/// The waits before a test's own: one of an allocation, one of an upload.
const WAITS_OF_AN_UPLOADED_BUFFER: u64 = 2;

/// Device memory with the pattern, made with as many waits as [`WAITS_OF_AN_UPLOADED_BUFFER`].
fn uploaded(sim: &Sim) -> DeviceBuffer<u8> {
    let dev = DeviceBuffer::from_slice(&pattern()).unwrap();
    assert_eq!(waits(sim), WAITS_OF_AN_UPLOADED_BUFFER);
    dev
}

fn waits(sim: &Sim) -> u64 {
    sim.calls().into_iter().filter(|entry| *entry == "cuStreamSynchronize").count() as u64
}

/// The `n`-th wait behind [`uploaded`] fails with this code.
fn failing_wait(n: u64, code: u32) -> Fault {
    Fault::nth("cuStreamSynchronize", WAITS_OF_AN_UPLOADED_BUFFER + n, Status(code))
}

/// The first wait behind [`uploaded`] finds the context dead, with work queued that lands later.
fn death() -> Fault {
    Fault::sticky("cuStreamSynchronize", WAITS_OF_AN_UPLOADED_BUFFER + 1, Status::ILLEGAL_ADDRESS)
}

fn wait_error(code: u32) -> Error {
    Error::Driver { operation: "cuStreamSynchronize", status: Status(code) }
}

const DEAD: u32 = 700;

#[test]
fn the_first_error_is_returned_and_a_later_wait_proves_completion() {
    for failures in [1, 2, 10] {
        let mut options = SimOptions::default().fail(failing_wait(1, 4242));
        for n in 2..=failures {
            options = options.fail(failing_wait(n, 999));
        }
        let (sim, context) = open(options);
        let _entered = context.enter();
        let dev = uploaded(&sim);
        let mut locked = locked_vec![0_u8; LEN].unwrap();
        assert_eq!(copy!(locked <- dev), Err(wait_error(4242)));
        assert!(*locked == pattern());
        assert_eq!(waits(&sim), WAITS_OF_AN_UPLOADED_BUFFER + failures + 1);
        // The context is as well as ever.
        locked.fill(0);
        copy!(locked <- dev).unwrap();
        assert!(*locked == pattern());
        drop((dev, locked));
        assert_eq!(context.take_drop_errors(), []);
        assert!(sim.finish().is_empty());
    }
}

#[test]
fn every_operation_is_complete_when_its_wait_fails_once() {
    type Operation = fn(&mut DeviceBuffer<u8>, &Stream) -> Result<()>;
    let operations: [(Operation, u8); 7] = [
        (|dev, _| copy!(dev <- vec![1; LEN]), 1),
        (|dev, stream| copy!(dev[..1000] <- vec![2; 1000], stream), 2),
        (|dev, stream| copy!(dev <- vec![2; LEN], stream), 2),
        (|dev, _| fill!(dev <- 3), 3),
        (|dev, stream| fill!(dev <- 4, stream), 4),
        (|dev, _| dev.set_32(0x0505_0505), 5),
        (
            |dev, _| {
                let (left, right) = dev.split_at_mut(LEN / 2);
                copy!(left <- right)
            },
            pattern()[LEN / 2],
        ),
    ];
    for (operation, first) in operations {
        let (sim, context) = open(SimOptions::default().fail(failing_wait(1, 4242)));
        let _entered = context.enter();
        let (mut dev, stream) = (uploaded(&sim), Stream::new().unwrap());
        assert_eq!(operation(&mut dev, &stream), Err(wait_error(4242)));
        assert_eq!(dev[0].to_value(), Ok(first));
        drop((dev, stream));
        assert_eq!(context.take_drop_errors(), []);
        assert!(sim.finish().is_empty());
    }
}

#[test]
fn a_stream_can_be_synchronised_again() {
    let (sim, context) = open(SimOptions::default().fail(failing_wait(1, 4242)));
    let _entered = context.enter();
    let (dev, stream) = (uploaded(&sim), Stream::new().unwrap());
    let mut locked = locked_vec![0_u8; LEN].unwrap();
    // SAFETY: nothing uses the two before a wait has succeeded.
    unsafe { copy!(locked <- dev, async stream) }.unwrap();
    assert_eq!(stream.synchronize(), Err(wait_error(4242)));
    stream.synchronize().unwrap();
    assert!(*locked == pattern());
    drop((dev, locked, stream));
    assert!(sim.finish().is_empty());
}

#[test]
fn a_download_to_page_locked_memory_outlasts_a_dead_context() {
    type Download = fn(&DeviceBuffer<u8>, &mut LockedBuffer<u8>) -> Result<()>;
    let downloads: [Download; 4] = [
        |dev, locked| copy!(locked <- dev),
        |dev, locked| copy!(locked <- dev, Stream::new()?),
        // A slice does not say that it is page-locked.
        |dev, locked| copy!(locked[..] <- dev),
        |dev, locked| dev.copy_to(locked),
    ];
    for download in downloads {
        let (sim, context) = open(SimOptions::default().fail(death()));
        let _entered = context.enter();
        let dev = uploaded(&sim);
        let mut locked = locked_vec![0_u8; LEN].unwrap();
        assert_eq!(download(&dev, &mut locked), Err(wait_error(DEAD)));
        assert!(*locked == pattern(), "the call returned before the bytes had landed");
        locked.fill(7);
        sleep(LONG);
        assert!(*locked == [7; LEN], "bytes landed after the call had returned");
        drop((dev, locked));
        assert_eq!(context.take_drop_errors(), [Error::Unsettled, Error::Unsettled]);
        assert!(sim.finish().is_empty(), "what a dead context keeps is no fault of the program");
    }
}

#[test]
fn a_download_to_pageable_memory_writes_nothing_after_it_failed() {
    for len in [1000, LEN] {
        let (sim, context) = open(SimOptions::default().fail(death()));
        let _entered = context.enter();
        let dev = uploaded(&sim);
        let mut host = vec![0_u8; len];
        assert_eq!(copy!(host <- dev[..len]), Err(wait_error(DEAD)));
        // Only whole parts that were known to be done have been copied to it from the context's page-locked memory.
        assert!(host == vec![0; len] || len == LEN && host == pattern());
        host.fill(7);
        sleep(LONG);
        assert!(host == vec![7; len]);
        assert_eq!(dev.to_vec().unwrap_err().status(), Some(Status(DEAD)));
        assert!(sim.finish().is_empty());
    }
}

#[test]
fn checked_values_of_a_dead_context_do_not_reach_the_destination() {
    let (sim, context) = open(SimOptions::default().fail(death()));
    let _entered = context.enter();
    let dev = DeviceBuffer::from_slice(&[true; 1000]).unwrap();
    let mut locked = locked_vec![false; 1000].unwrap();
    assert_eq!(copy!(locked <- dev), Err(wait_error(DEAD)));
    sleep(LONG);
    assert_eq!(*locked, [false; 1000]);
    assert!(sim.finish().is_empty());
}

#[test]
fn memory_of_a_dead_context_is_leaked_and_not_freed() {
    let (sim, context) = open(SimOptions::default().fail(death()));
    let _entered = context.enter();
    let mut dev = uploaded(&sim);
    let locked = locked_vec![1_u8; LEN].unwrap();
    assert_eq!(copy!(dev <- locked), Err(wait_error(DEAD)));
    // Whatever is new is refused.
    assert_eq!(fill!(dev <- 1).unwrap_err().status(), Some(Status(DEAD)));
    assert_eq!(device_vec![1_u8; 10].unwrap_err().status(), Some(Status(DEAD)));
    assert_eq!(locked_vec![1_u8; 10].unwrap_err().status(), Some(Status(DEAD)));
    assert_eq!(Stream::new().unwrap_err().status(), Some(Status(DEAD)));
    assert_eq!(context.synchronize().unwrap_err().status(), Some(Status(DEAD)));

    sim.clear_calls();
    let (error, dev) = dev.try_free().unwrap_err();
    assert_eq!(error, Error::Unsettled);
    let (error, locked) = locked.try_free().unwrap_err();
    assert_eq!(error, Error::Unsettled);
    assert_eq!(*locked, [1; LEN], "the device may still read it");
    drop((dev, locked));
    assert_eq!(context.take_drop_errors(), [Error::Unsettled, Error::Unsettled]);
    let calls = sim.calls();
    let frees = ["cuMemFreeAsync", "cuMemFree_v2", "cuMemFreeHost"];
    assert!(!calls.iter().any(|entry| frees.contains(entry)), "{calls:?}");
    assert!(sim.finish().is_empty());
}

/// The stream dies with its own context, and the memory is another's, which frees it and gives it out again.
#[test]
fn a_peer_copy_on_the_sources_stream_outlasts_a_dead_context() {
    let fault = Fault::sticky("cuStreamSynchronize", 2 * WAITS_OF_AN_UPLOADED_BUFFER + 1, Status::ILLEGAL_ADDRESS);
    let sim = Sim::new(SimOptions::default().devices(2).fail(fault));
    let (first, second) =
        (Context::new(&sim.device(0).unwrap()).unwrap(), Context::new(&sim.device(1).unwrap()).unwrap());
    let stream = Stream::new_in(&first).unwrap();
    let source = DeviceBuffer::from_slice_in(&first, &pattern()).unwrap();
    let mut target = DeviceBuffer::from_slice_in(&second, &[0_u8; LEN]).unwrap();
    assert_eq!(waits(&sim), 2 * WAITS_OF_AN_UPLOADED_BUFFER);
    assert_eq!(copy!(target <- source, stream), Err(wait_error(DEAD)));
    assert!(target.to_vec().unwrap() == pattern(), "the call returned before the bytes had landed");
    fill!(target <- 9).unwrap();
    sleep(LONG);
    assert!(target.to_vec().unwrap() == [9; LEN], "bytes landed after the call had returned");
    drop((source, target));
    assert_eq!(first.take_drop_errors(), [Error::Unsettled]);
    assert_eq!(second.take_drop_errors(), []);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_peer_copy_outlasts_a_dead_context() {
    let sim = Sim::new(SimOptions::default().devices(2).fail(Fault::sticky("cuStreamSynchronize", 5, Status(DEAD))));
    let (first, second) =
        (Context::new(&sim.device(0).unwrap()).unwrap(), Context::new(&sim.device(1).unwrap()).unwrap());
    let source = DeviceBuffer::from_slice_in(&first, &pattern()).unwrap();
    let mut target = DeviceBuffer::<u8>::zeroed_in(&second, LEN).unwrap();
    assert_eq!(waits(&sim), 4);
    // It runs on a stream of the second device, whose context dies; the source can be freed and used anew.
    assert_eq!(copy!(target <- source), Err(wait_error(DEAD)));
    drop(source);
    assert_eq!(first.take_drop_errors(), []);
    let again = device_vec![in &first; 5_u8; LEN].unwrap();
    sleep(LONG);
    assert!(again.to_vec().unwrap() == [5; LEN]);
    drop((again, target));
    assert_eq!(second.take_drop_errors(), [Error::Unsettled]);
    assert!(sim.finish().is_empty(), "the copy was done before its source was freed");
}

#[test]
fn the_ticket_alone_proves_completion() {
    // No wait ever succeeds again, though the context lives and the work is done.
    let options =
        (1..100).fold(SimOptions::default().order(Order::Eager), |options, n| options.fail(failing_wait(n, 999)));
    let (sim, context) = open(options);
    let _entered = context.enter();
    let dev = uploaded(&sim);
    let mut locked = locked_vec![0_u8; LEN].unwrap();
    assert_eq!(copy!(locked <- dev), Err(wait_error(999)));
    assert!(*locked == pattern());
    assert_eq!(dev.try_free().unwrap_err().0, Error::Unsettled);
    drop(sim.finish());
}

/// What writes nothing that the host can reach while it is in flight.
fn device_work(context: &Context) -> Result<()> {
    let (stream, event) = (Stream::new_in(context)?, Event::new_in(context)?);
    let mut dev = device_vec![in context; [1_u8, 2, 3]; 100]?;
    let mut other = DeviceBuffer::zeroed_in(context, 100)?;
    let locked = locked_vec![in context; [4_u8; 3]; 100]?;
    copy!(other <- dev)?;
    copy!(dev <- locked, stream)?;
    stream.record(&event)?;
    stream.wait_event(&event)?;
    event.synchronize()?;
    stream.synchronize()?;
    assert_eq!((dev[99].to_value()?, other[99].to_value()?), ([4; 3], [1, 2, 3]));
    fill!(other[..50] <- [5; 3])?;
    assert_eq!(other[49..51].to_vec()?, [[5; 3], [1, 2, 3]]);
    dev.try_free().map_err(|(error, _)| error)?;
    locked.try_free().map_err(|(error, _)| error)?;
    context.trim(0)
}

#[test]
fn a_context_may_die_at_any_call() {
    let (sim, context) = open(SimOptions::default());
    let of_opening = sim.calls().len();
    device_work(&context).unwrap();
    let calls = sim.calls();
    assert!(calls.len() > of_opening + 100, "{calls:?}");
    for place in of_opening..calls.len() {
        let entry = calls[place];
        let nth = calls[..=place].iter().filter(|call| **call == entry).count();
        let (sim, context) =
            open(SimOptions::default().fail(Fault::sticky(entry, nth as u64, Status::ILLEGAL_ADDRESS)));
        let entered = context.enter();
        // The call that kills it may be one whose result does not matter: then a later one says it, or none.
        if let Err(error) = device_work(&context) {
            assert!(error.status() == Some(Status(DEAD)) || error == Error::Unsettled, "{entry} {nth}: {error}");
        }
        for error in context.take_drop_errors() {
            assert!(error.status() == Some(Status(DEAD)) || error == Error::Unsettled, "{entry} {nth}: {error}");
        }
        drop(entered);
        let violations = sim.finish();
        assert!(violations.is_empty(), "{entry} {nth}: {}", violations[0]);
    }
}

/// Names the program that a child process is to run.
const CHILD: &str = "MEMCORE_TEST_CHILD";

/// Runs a test of this binary again, in a child process.
fn child(test: &str) -> Output {
    let this = env::current_exe().unwrap();
    Command::new(this).args(["--exact", test, "--nocapture"]).env(CHILD, "1").output().unwrap()
}

/// The download whose completion nothing can prove: the wait fails, and there is no ticket.
fn download_without_proof(symbol: &str) {
    let (sim, context) = open(SimOptions::default().fail(death()).without_symbol(symbol));
    let _entered = context.enter();
    let dev = uploaded(&sim);
    let mut locked = locked_vec![0_u8; LEN].unwrap();
    let result = copy!(locked <- dev);
    panic!("the copy returned: {result:?}");
}

fn must_abort(test: &str, symbol: &str) {
    if env::var_os(CHILD).is_some() {
        download_without_proof(symbol);
    }
    let output = child(test);
    assert_eq!(output.status.signal(), Some(6), "{output:?}");
    let said = [output.stdout, output.stderr].concat();
    assert!(!String::from_utf8_lossy(&said).contains("the copy returned"));
}

#[test]
fn without_tickets_the_process_aborts_rather_than_return() {
    must_abort("without_tickets_the_process_aborts_rather_than_return", "cuStreamWriteValue32_v2");
}

#[test]
fn without_mapped_memory_the_process_aborts_rather_than_return() {
    must_abort("without_mapped_memory_the_process_aborts_rather_than_return", "cuMemHostGetDevicePointer_v2");
}
