//! Scopes whose waits fail and whose contexts die: no byte of an operand moves after the scope has returned, or the
//! process ends.

#![cfg(unix)]
#![allow(clippy::print_stdout, reason = "how often the process had to end is worth seeing")]

use std::env;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{Command, Output};
use std::thread::sleep;
use std::time::Duration;

use memcore::prelude::*;
use memcore::sim::{Fault, Order, Sim, SimOptions};
use memcore::{Error, Result, Status};

/// So long after a call no byte of its operands may move any more: what a dead context still does takes a fraction of
/// it.
const LONG: Duration = Duration::from_millis(200);

const LEN: usize = 4096;

const DEAD: u32 = 700;

const WAIT: &str = "cuStreamSynchronize";

fn pattern() -> Vec<u8> {
    (0..LEN as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn open(options: SimOptions) -> (Sim, Context) {
    // As late as can be.
    let sim = Sim::new(options.late_pageable());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

/// The waits of an uploaded buffer: its allocation's and its upload's.
const WAITS_BEFORE: u64 = 2;

/// A simulator whose context dies at the `n`-th wait behind those of an uploaded buffer.
fn dying_at_wait(n: u64) -> (Sim, Context) {
    open(SimOptions::default().fail(Fault::sticky(WAIT, WAITS_BEFORE + n, Status::ILLEGAL_ADDRESS)))
}

fn is_dead(error: &Error) -> bool {
    error.status() == Some(Status(DEAD))
}

/// Whether the host sees bytes move that nobody writes: `see` is asked at once and a good while later.
#[track_caller]
fn nothing_moves<'a>(what: &str, see: impl Fn() -> &'a [u8]) {
    let at_once = see().to_vec();
    sleep(LONG);
    assert!(see() == at_once, "{what}: bytes moved after the scope had returned");
}

#[test]
fn page_locked_and_pageable_destinations_outlast_a_dead_context() {
    let (sim, context) = dying_at_wait(1);
    let _entered = context.enter();
    let dev = DeviceBuffer::from_slice(&pattern()).unwrap();
    let stream = Stream::new().unwrap();
    let (mut whole, mut part) = (locked_vec![0_u8; LEN].unwrap(), locked_vec![0_u8; LEN].unwrap());
    let (mut lent, mut pageable) = (locked_vec![0_u8; LEN].unwrap(), vec![0_u8; LEN]);
    let result = stream.scope(|s| {
        copy!(whole <- dev, s)?;
        copy!(part[7..] <- dev[7..], s)?;
        copy!(s.lend(&mut lent)[..] <- dev, s)?;
        copy!(pageable <- dev, s)
    });
    assert!(is_dead(&result.unwrap_err()));
    assert!(*whole == pattern() && part[7..] == pattern()[7..] && *lent == pattern() && pageable == pattern());
    whole.fill(9);
    nothing_moves("page-locked", || &whole);
    drop((dev, whole, part, lent, pageable, stream));
    assert_eq!(context.take_drop_errors(), [Error::Unsettled, Error::Unsettled, Error::Unsettled, Error::Unsettled]);
    assert!(sim.finish().is_empty(), "what a dead context keeps is no fault of the program");
}

#[test]
fn unified_destinations_outlast_a_dead_context() {
    type Form = (&'static str, fn(&Stream, &mut UnifiedBuffer<u8>, &DeviceBuffer<u8>, &LockedBuffer<u8>) -> Result<()>);
    let forms: [Form; 9] = [
        ("download", |on, u, dev, _| on.scope(|s| copy!(u <- dev, s))),
        ("download into a slice", |on, u, dev, _| on.scope(|s| copy!(u[1..] <- dev[1..], s))),
        ("upload", |on, u, _, locked| on.scope(|s| copy!(u.as_device_slice_mut() <- locked, s))),
        ("device to device", |on, u, dev, _| on.scope(|s| copy!(u.as_device_slice_mut() <- dev, s))),
        ("fill", |on, u, _, _| on.scope(|s| fill!(u.as_device_slice_mut()[9..] <- 5, s))),
        ("lent, device to device", |on, u, dev, _| on.scope(|s| copy!(s.lend(u)[..] <- dev, s))),
        ("lent, upload", |on, u, _, locked| on.scope(|s| copy!(s.lend(u)[..] <- locked, s))),
        ("lent, fill", |on, u, _, _| on.scope(|s| fill!(s.lend(u) <- 5, s))),
        ("lent, from a temporary", |on, u, _, _| on.scope(|s| copy!(s.lend(u)[..] <- s.device_vec::<u8>(LEN)?, s))),
    ];
    for (form, run) in forms {
        let (_sim, context) = dying_at_wait(1);
        let _entered = context.enter();
        let dev = DeviceBuffer::from_slice(&pattern()).unwrap();
        let locked = locked_vec![9_u8; LEN].unwrap();
        let mut unified = unified_vec![1_u8; LEN].unwrap();
        let stream = Stream::new().unwrap();
        assert!(is_dead(&run(&stream, &mut unified, &dev, &locked).unwrap_err()), "{form}");
        assert!(unified[LEN - 1] != 1, "{form}: the scope returned before the bytes had landed");
        nothing_moves(form, || &unified);
    }
}

#[test]
fn device_memory_of_a_dead_context_is_kept() {
    let (sim, context) = dying_at_wait(1);
    let _entered = context.enter();
    let mut dev = DeviceBuffer::from_slice(&pattern()).unwrap();
    let source = locked_vec![1_u8; LEN].unwrap();
    let stream = Stream::new().unwrap();
    let result = stream.scope(|s| {
        let (dev, scratch) = (s.lend(&mut dev), s.device_vec::<u8>(LEN)?);
        copy!(dev <- source, s)?;
        copy!(scratch <- dev, s)
    });
    assert!(is_dead(&result.unwrap_err()));
    // The scope's own memory was freed behind its work, before the wait.
    assert_eq!(context.take_drop_errors(), []);
    // What is new is refused, before its closure is called or by its first operation, and nothing aborts.
    let mut back = locked_vec![0_u8; LEN];
    assert!(is_dead(back.as_mut().unwrap_err()));
    assert!(is_dead(&stream.scope(|s| fill!(dev <- 1, s)).unwrap_err()));
    drop((dev, source, stream));
    assert_eq!(context.take_drop_errors(), [Error::Unsettled, Error::Unsettled]);
    assert_eq!(sim.calls().iter().filter(|call| **call == "cuMemFreeAsync").count(), 1);
    assert!(sim.finish().is_empty());
}

/// A context that was dead before the scope: nothing of it was ever in flight, so there is nothing to prove.
#[test]
fn a_scope_in_a_dead_context_is_an_error_and_no_abort() {
    let (_sim, context) = dying_at_wait(1);
    let _entered = context.enter();
    let mut dev = DeviceBuffer::from_slice(&pattern()).unwrap();
    let (used, fresh) = (Stream::new().unwrap(), Stream::new().unwrap());
    let (mut back, mut pageable) = (locked_vec![0_u8; LEN].unwrap(), vec![0_u8; LEN]);
    let mut unified = unified_vec![0_u8; LEN].unwrap();
    used.scope(|_| Ok::<(), Error>(())).unwrap_err();
    for stream in [&used, &fresh] {
        assert!(is_dead(&stream.scope(|s| copy!(back <- dev, s)).unwrap_err()));
        assert!(is_dead(&stream.scope(|s| copy!(pageable <- dev, s)).unwrap_err()));
        assert!(is_dead(&stream.scope(|s| copy!(s.lend(&mut unified)[..] <- dev, s)).unwrap_err()));
        assert!(is_dead(&stream.scope(|s| fill!(s.lend(&mut unified) <- 1, s)).unwrap_err()));
        assert!(is_dead(&stream.scope(|s| fill!(dev <- 1, s)).unwrap_err()));
        assert!(is_dead(&memcore::scope(|all| all.on(stream, |s| copy!(back <- dev, s))).unwrap_err()));
    }
    nothing_moves("refused", || &back);
    assert!(*back == [0; LEN] && pageable == [0; LEN] && *unified == [0; LEN]);
}

#[test]
fn a_dead_context_outweighs_the_closures_error() {
    let (_sim, context) = dying_at_wait(1);
    let _entered = context.enter();
    let dev = DeviceBuffer::from_slice(&pattern()).unwrap();
    let stream = Stream::new().unwrap();
    let mut back = locked_vec![0_u8; LEN].unwrap();
    let result = stream.scope(|s| {
        copy!(back <- dev, s)?;
        copy!([0_u8; 0] <- dev[..0], s)?;
        Err::<(), _>(Error::Unsupported { what: "mine" })
    });
    assert!(is_dead(&result.unwrap_err()));
    assert!(*back == pattern());
}

#[test]
fn a_panic_in_a_dying_context_waits_first() {
    let (_sim, context) = dying_at_wait(1);
    let _entered = context.enter();
    let dev = DeviceBuffer::from_slice(&pattern()).unwrap();
    let stream = Stream::new().unwrap();
    let mut back = locked_vec![0_u8; LEN].unwrap();
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        stream.scope(|s| -> Result<()> {
            copy!(back <- dev, s)?;
            resume_unwind(Box::new("mine"))
        })
    }));
    assert_eq!(unwound.unwrap_err().downcast_ref::<&str>(), Some(&"mine"));
    assert!(*back == pattern());
    nothing_moves("after a panic", || &back);
}

/// The first of many waits finds the context dead: by then each stream has been asked for its proof.
#[test]
fn many_streams_in_a_dying_context() {
    for n in 1..=4 {
        let (_sim, context) = dying_at_wait(n);
        let _entered = context.enter();
        let dev = DeviceBuffer::from_slice(&pattern()).unwrap();
        let streams: Vec<_> = (0..4).map(|_| Stream::new().unwrap()).collect();
        let mut back = locked_vec![0_u8; LEN].unwrap();
        let result = memcore::scope(|all| {
            for ((stream, back), dev) in streams.iter().zip(back.chunks_mut(LEN / 4)).zip(dev.chunks(LEN / 4)) {
                all.on(stream, |s| copy!(back <- dev, s))?;
            }
            Ok(())
        });
        assert!(is_dead(&result.unwrap_err()), "{n}");
        assert!(*back == pattern(), "{n}");
        back.fill(9);
        nothing_moves("many streams", || &back);
    }
}

#[test]
fn waits_that_fail_and_pass() {
    for order in [Order::Lazy, Order::Eager, Order::Random(1), Order::Random(2)] {
        for failures in [1, 3, 16] {
            let fault = |n| Fault::nth(WAIT, WAITS_BEFORE + n, Status(4242));
            let options = (1..=failures).fold(SimOptions::default().order(order), |options, n| options.fail(fault(n)));
            let (sim, context) = open(options);
            let _entered = context.enter();
            let dev = DeviceBuffer::from_slice(&pattern()).unwrap();
            let (stream, mut back) = (Stream::new().unwrap(), vec![0_u8; LEN]);
            let result = stream.scope(|s| copy!(back <- dev, s));
            assert_eq!(result, Err(Error::Driver { operation: WAIT, status: Status(4242) }));
            assert!(back == pattern());
            drop((dev, stream));
            assert_eq!(context.take_drop_errors(), []);
            assert!(sim.finish().is_empty());
        }
    }
}

/// One of the streams cannot be waited for, for a while: the others are waited for all the same.
#[test]
fn one_wait_of_many_fails() {
    for n in 1..=3 {
        let fault = Fault::nth(WAIT, WAITS_BEFORE + n, Status(4242));
        let (sim, context) = open(SimOptions::default().fail(fault));
        let _entered = context.enter();
        let dev = DeviceBuffer::from_slice(&pattern()).unwrap();
        let streams: Vec<_> = (0..3).map(|_| Stream::new().unwrap()).collect();
        let mut backs = [vec![0_u8; LEN], vec![0_u8; LEN], vec![0_u8; LEN]];
        let result = memcore::scope(|all| {
            for (stream, back) in streams.iter().zip(&mut backs) {
                all.on(stream, |s| copy!(back <- dev, s))?;
            }
            Ok(())
        });
        assert_eq!(result, Err(Error::Driver { operation: WAIT, status: Status(4242) }));
        assert!(backs.iter().all(|back| *back == pattern()));
        drop((dev, streams));
        assert!(sim.finish().is_empty());
    }
}

/// The peer's memory is not the dead context's: it is given out again, so the scope must not return before the bytes
/// are there.
#[test]
fn a_peer_copy_outlasts_a_dead_context() {
    // The target, of zeros, has two waits.
    let fault = Fault::sticky(WAIT, WAITS_BEFORE + 3, Status::ILLEGAL_ADDRESS);
    let (sim, first) = open(SimOptions::default().devices(2).fail(fault));
    let second = Context::new(&sim.device(1).unwrap()).unwrap();
    let source = DeviceBuffer::from_slice_in(&first, &pattern()).unwrap();
    let mut target = DeviceBuffer::<u8>::zeroed_in(&second, LEN).unwrap();
    let stream = Stream::new_in(&first).unwrap();
    assert!(is_dead(&stream.scope(|s| copy!(s.lend(&mut target)[..] <- source, s)).unwrap_err()));
    assert!(target.to_vec().unwrap() == pattern(), "the scope returned before the bytes had landed");
    fill!(target <- 9).unwrap();
    sleep(LONG);
    assert!(target.to_vec().unwrap() == [9; LEN], "bytes landed after the scope had returned");
    drop((source, target, stream));
    assert_eq!(first.take_drop_errors(), [Error::Unsettled]);
    assert_eq!(second.take_drop_errors(), []);
    assert!(sim.finish().is_empty());
}

/// The context of the scope cannot be made current at its end, for a while.
#[test]
fn a_context_that_cannot_be_bound_at_the_end() {
    // The calls up to the scope's end are counted first.
    let count = |sim: &Sim, entry: &str| sim.calls().iter().filter(|call| **call == entry).count() as u64;
    let run = |options: SimOptions, before_the_end: &dyn Fn(&Sim)| {
        let (sim, context) = open(options);
        let dev = DeviceBuffer::from_slice_in(&context, &pattern()).unwrap();
        let stream = Stream::new_in(&context).unwrap();
        let mut back = LockedBuffer::filled_in(&context, 0_u8, LEN).unwrap();
        let result = stream.scope(|s| {
            copy!(back <- dev, s)?;
            before_the_end(&sim);
            Ok::<(), Error>(())
        });
        let seen = back.to_vec();
        context.synchronize().unwrap();
        assert!(*back == seen, "bytes moved after the scope had returned {result:?}");
        assert!(seen == pattern());
        drop((dev, back, stream));
        drop(context);
        assert!(sim.finish().is_empty());
    };
    for entry in ["cuCtxGetCurrent", "cuCtxSetCurrent"] {
        let calls = std::cell::Cell::new(0);
        run(SimOptions::default(), &|sim| calls.set(count(sim, entry)));
        run(SimOptions::default().fail(Fault::nth(entry, calls.get() + 1, Status(4242))), &|_| {});
    }
}

/// The context can never again be made current: nothing proves that the download is done.
#[test]
fn a_context_that_can_never_be_bound_again() {
    must_abort("a_context_that_can_never_be_bound_again", || {
        let run = |options: SimOptions| {
            let (sim, context) = open(options);
            let dev = DeviceBuffer::from_slice_in(&context, &pattern())?;
            let stream = Stream::new_in(&context)?;
            let mut back = LockedBuffer::filled_in(&context, 0_u8, LEN)?;
            let mut calls = 0;
            stream.scope(|s| {
                copy!(back <- dev, s)?;
                calls = sim.calls().iter().filter(|call| **call == "cuCtxGetCurrent").count() as u64;
                Ok::<(), Error>(())
            })?;
            Ok(calls)
        };
        let calls = run(SimOptions::default())?;
        let fault = |n| Fault::nth("cuCtxGetCurrent", calls + n, Status(4242));
        run((1..100).fold(SimOptions::default(), |options, n| options.fail(fault(n)))).map(drop)
    });
}

/// Names the program that a child process is to run.
const CHILD: &str = "MEMCORE_TEST_CHILD";

/// Runs a test of this binary again, in a child process.
fn child(test: &str, program: &str) -> Output {
    let this = env::current_exe().unwrap();
    Command::new(this).args(["--exact", test, "--nocapture"]).env(CHILD, program).output().unwrap()
}

/// Nested and many-stream scopes that write all that the host can see.
fn host_visible_work(context: &Context) -> Result<()> {
    let streams = [Stream::new_in(context)?, Stream::new_in(context)?, Stream::new_in(context)?];
    let mut dev = DeviceBuffer::from_slice_in(context, &pattern())?;
    let mut locked = LockedBuffer::filled_in(context, 0_u8, LEN)?;
    let mut unified = UnifiedBuffer::filled_in(context, 0_u8, LEN)?;
    let mut pageable = vec![0_u8; LEN];
    let scoped = (|| {
        streams[0].scope(|a| {
            let dev = a.lend(&mut dev);
            copy!(locked <- dev, a)?;
            streams[1].scope(|b| {
                let dev = b.take_over(dev, a)?;
                copy!(b.lend(&mut unified)[..] <- dev, b)?;
                fill!(dev[..7] <- 3, b)
            })?;
            copy!(pageable <- a.device_vec::<u8>(LEN)?, a)
        })?;
        memcore::scope(|all| {
            for ((stream, to), from) in streams.iter().zip(locked.chunks_mut(1366)).zip(dev.chunks(1366)) {
                all.on(stream, |s| copy!(to <- from, s))?;
            }
            Ok(())
        })
    })();
    let see = || [&locked[..], &unified, &pageable].concat();
    let at_once = see();
    sleep(LONG);
    assert!(see() == at_once, "MOVED: bytes moved after a scope had returned {scoped:?}");
    scoped
}

/// The context dies at any call: the scopes return an error when nothing moves any more, or the process ends because
/// nothing can prove that.
#[test]
fn a_context_may_die_at_any_call() {
    const TEST: &str = "a_context_may_die_at_any_call";
    if let Ok(fault) = env::var(CHILD) {
        let (entry, nth) = fault.split_once(' ').unwrap();
        let fault = Fault::sticky(entry, nth.parse().unwrap(), Status::ILLEGAL_ADDRESS);
        let (_sim, context) = open(SimOptions::default().fail(fault));
        if let Err(error) = host_visible_work(&context) {
            assert!(is_dead(&error) || error == Error::Unsettled, "{error}");
        }
        return;
    }
    let (sim, context) = open(SimOptions::default());
    let of_opening = sim.calls().len();
    host_visible_work(&context).unwrap();
    let calls = sim.calls();
    let questions = ["cuCtxGetCurrent", "cuCtxSetCurrent", "cuThreadExchangeStreamCaptureMode", "cuStreamIsCapturing"];
    let mut aborts = Vec::new();
    let mut tried = 0;
    for place in (of_opening..calls.len()).filter(|place| !questions.contains(&calls[*place])) {
        let entry = calls[place];
        let nth = calls[..=place].iter().filter(|call| **call == entry).count();
        let output = child(TEST, &format!("{entry} {nth}"));
        let said = String::from_utf8_lossy(&[output.stdout.clone(), output.stderr.clone()].concat()).into_owned();
        tried += 1;
        match output.status.signal() {
            None => assert!(output.status.success(), "{entry} {nth}: {said}"),
            Some(6) => {
                assert!(said.contains("memcore: aborting, since"), "{entry} {nth}: {said}");
                aborts.push(format!("{entry} {nth}"));
            }
            Some(signal) => panic!("{entry} {nth}: signal {signal}: {said}"),
        }
    }
    println!("{tried} places, {} aborts: {aborts:?}", aborts.len());
}

fn must_abort(test: &str, program: impl FnOnce() -> Result<()>) {
    if env::var_os(CHILD).is_some() {
        panic!("the scope returned: {:?}", program());
    }
    let output = child(test, "1");
    assert_eq!(output.status.signal(), Some(6), "{output:?}");
    let said = [output.stdout, output.stderr].concat();
    assert!(String::from_utf8_lossy(&said).contains("memcore: aborting, since"));
}

/// The wait fails for good and there is no ticket.
#[test]
fn without_tickets_the_process_aborts_rather_than_return() {
    must_abort("without_tickets_the_process_aborts_rather_than_return", || {
        let fault = Fault::sticky(WAIT, WAITS_BEFORE + 1, Status::ILLEGAL_ADDRESS);
        let (_sim, context) = open(SimOptions::default().fail(fault).without_symbol("cuStreamWriteValue32_v2"));
        let _entered = context.enter();
        let dev = DeviceBuffer::from_slice(&pattern())?;
        let mut back = locked_vec![0_u8; LEN]?;
        Stream::new()?.scope(|s| copy!(back <- dev, s))
    });
}

/// The context died with a download in flight, and refuses the ticket.
#[test]
fn a_refused_ticket_aborts() {
    must_abort("a_refused_ticket_aborts", || {
        let fault = Fault::sticky("cuStreamWriteValue32_v2", 1, Status::ILLEGAL_ADDRESS);
        let (_sim, context) = open(SimOptions::default().fail(fault));
        let _entered = context.enter();
        let dev = DeviceBuffer::from_slice(&pattern())?;
        let mut back = locked_vec![0_u8; LEN]?;
        Stream::new()?.scope(|s| copy!(back <- dev, s))
    });
}

#[test]
fn what_others_queue_counts_as_written_where_there_is_unified_memory() {
    let tickets = |sim: &Sim| sim.calls().iter().filter(|call| **call == "cuStreamWriteValue32_v2").count();
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let stream = Stream::new().unwrap();
    let mut unified = unified_vec![0_u8; LEN].unwrap();
    for (asks_for_the_handle, expected) in [(false, 0), (true, 1)] {
        sim.clear_calls();
        stream
            .scope(|s| {
                let lent = s.lend(&mut unified);
                if asks_for_the_handle {
                    // What a kernel of another library would be launched with.
                    let _ = (s.as_raw(), lent.as_device_ptr());
                }
                Ok::<_, Error>(())
            })
            .unwrap();
        assert_eq!(tickets(&sim), expected);
    }
}
