//! Every driver call made to fail in turn: no panic, no leak that nobody was told of, and the next call works.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions, Violation, ViolationKind};
use memcore::{Error, Event, Result, Status};

/// Codes that a call is made to fail with: one that memcore acts on, one that no driver has, one that says nothing.
const CODES: [Status; 3] = [Status::OUT_OF_MEMORY, Status(4242), Status::UNKNOWN];

#[test]
fn every_call_of_every_operation_may_fail() {
    sweep(everything, true);
}

#[test]
fn every_call_around_raw_parts_may_fail() {
    sweep(raw_parts, false);
}

/// Runs `program` once for each driver call that it makes, with that call failing. `closes` if it leaves no context open.
fn sweep(program: Program, closes: bool) {
    let clean = run(program, None);
    assert_eq!((clean.error, clean.drop_errors, kinds(&clean.violations)), (None, vec![], vec![]));
    let recorded: BTreeSet<(&str, u64)> =
        clean.calls.iter().flat_map(|(entry, count)| (1..=*count).map(|n| (*entry, n))).collect();
    assert!(recorded.len() > 40, "{recorded:?}");

    for code in CODES {
        let mut injected = BTreeSet::new();
        for &(entry, n) in &recorded {
            let fault = Fault::nth(entry, n, code);
            let checked = catch_unwind(|| {
                let faulty = run(program, Some(fault));
                check(&faulty, closes, entry, code);
                faulty.calls.get(entry).is_some_and(|count| *count >= n)
            });
            let struck = checked.unwrap_or_else(|_| panic!("call {n} of {entry} failed with {code:?}: see above"));
            if struck {
                injected.insert((entry, n));
            }
        }
        assert_eq!(injected, recorded);
    }
}

/// What came of one run.
struct Run {
    /// The error that the program ended with.
    error: Option<Error>,
    drop_errors: Vec<Error>,
    /// How often each entry point was called.
    calls: BTreeMap<&'static str, u64>,
    violations: Vec<Violation>,
}

/// A program on two devices, whose contexts it is given.
type Program = fn(&Context, &Context) -> Result<()>;

fn run(program: Program, fault: Option<Fault>) -> Run {
    let options = SimOptions::default().devices(2).memory_bytes(1 << 30);
    let sim = Sim::new(match fault {
        Some(fault) => options.fail(fault),
        None => options,
    });
    let mut errors = Vec::new();
    // One call fails, once: whatever it was, the same thing works the second time.
    let mut twice = |attempt: &dyn Fn() -> Result<Context>| {
        attempt().or_else(|error| {
            errors.push(error);
            attempt()
        })
    };
    let first = twice(&|| Context::new(&sim.device(0)?)).unwrap();
    let second = twice(&|| Context::new(&sim.device(1)?)).unwrap();
    errors.extend(program(&first, &second).err());
    for context in [&first, &second] {
        if let Err(error) = small_job(context) {
            errors.push(error);
            small_job(context).unwrap();
        }
    }
    assert!(errors.len() <= 1, "one call failed, and several operations because of it: {errors:?}");

    let drop_errors = [first.take_drop_errors(), second.take_drop_errors()].concat();
    drop((first, second));
    Run { error: errors.pop(), drop_errors, calls: counts(&sim), violations: sim.finish() }
}

fn counts(sim: &Sim) -> BTreeMap<&'static str, u64> {
    let mut counts = BTreeMap::new();
    for entry in sim.calls() {
        *counts.entry(entry).or_default() += 1;
    }
    counts
}

fn kinds(violations: &[Violation]) -> Vec<ViolationKind> {
    violations.iter().map(Violation::kind).collect()
}

/// What must hold after a call of `entry` failed; `closes` if the program leaves no context open.
fn check(run: &Run, closes: bool, entry: &str, code: Status) {
    // The error is the call's own, where it is not dealt with.
    for error in run.error.iter().chain(&run.drop_errors) {
        assert_eq!(error.status(), Some(code), "{error}");
        assert!(error.to_string().starts_with(entry), "{error}");
    }
    // What leaks was said, and nothing is said without a leak.
    let frees = ["cuMemFreeAsync", "cuMemFree_v2", "cuMemFreeHost", "cuPointerGetAttribute"];
    let binds = ["cuCtxGetCurrent", "cuCtxSetCurrent"];
    let unfreed = run.drop_errors.len();
    assert!(unfreed == 0 || frees.contains(&entry) || binds.contains(&entry), "{:?}", run.drop_errors);
    assert_eq!(kinds(&run.violations), vec![ViolationKind::Leak; unfreed], "{:?} {:?}", run.drop_errors, run.error);
    // Whatever was made came to be destroyed, except where the context could not be made current for that.
    let count = |entry| run.calls.get(entry).copied().unwrap_or(0);
    let pairs = [
        ("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"),
        ("cuStreamCreateWithPriority", "cuStreamDestroy_v2"),
        ("cuMemPoolCreate", "cuMemPoolDestroy"),
        ("cuEventCreate", "cuEventDestroy_v2"),
    ];
    for (make, destroy) in pairs.into_iter().filter(|_| closes && !binds.contains(&entry)) {
        assert_eq!(count(make) - u64::from(make == entry), count(destroy), "{make} and {destroy}");
    }
}

/// What works on any context that is well.
fn small_job(context: &Context) -> Result<()> {
    let dev = device_vec![in context; 1_u8, 2, 3]?;
    assert_eq!(dev.to_vec()?, [1, 2, 3]);
    Ok(())
}

/// Waits, and knows what a failed wait means while one call alone fails: the second one proves completion.
fn wait(stream: &Stream) -> Result<()> {
    stream.synchronize().inspect_err(|_| stream.synchronize().unwrap())
}

/// Every typed operation.
fn everything(first: &Context, second: &Context) -> Result<()> {
    questions(first, second)?;
    // With nothing entered each call makes the context current for itself, and puts back what was.
    let theirs = device_vec![in second; 5_u16; 100]?;
    let locked = locked_vec![in second; 6_u16; 100]?;
    let stream = Stream::new_in(second)?;
    let mut mine = DeviceBuffer::from_slice_in(first, &locked)?;
    copy!(mine <- theirs)?;
    assert_eq!(mine.to_vec()?, [5; 100]);

    let _entered = first.enter();
    copy!(mine[50..] <- theirs[50..], stream)?;
    constructors()?;
    copies()?;
    fills()?;
    in_flight()?;
    let dev = device_box![7_u64]?;
    dev.try_free().map_err(|(error, _)| error)?;
    device_vec![1_u8; 10]?.try_free().map_err(|(error, _)| error)?;
    locked.try_free().map_err(|(error, _)| error)?;
    mine.cast::<u32>().map_err(|(error, _)| error)?.view_as_mut::<u64>()?.set_32(9)?;
    first.trim(0)
}

fn questions(first: &Context, second: &Context) -> Result<()> {
    let device = first.device();
    assert_eq!(device.name()?, "memcore simulated device");
    assert_ne!(device.uuid()?, second.device().uuid()?);
    assert_eq!(device.compute_capability()?, (9, 0));
    assert_eq!(device.total_memory()?, first.memory_info()?.1);
    assert_eq!(device.driver_version()?, (13, 0));
    assert!(device.can_access_peer(second.device())?);
    first.synchronize()
}

fn constructors() -> Result<()> {
    assert_eq!(DeviceBuffer::<u64>::zeroed(10)?.to_vec()?, [0; 10]);
    assert_eq!(device_vec![[1_u8, 2, 3]; 20]?.to_vec()?, [[1, 2, 3]; 20]);
    assert_eq!(device_vec![1_u32, 2]?.last().unwrap().to_value()?, 2);
    assert_eq!(DeviceBox::<u8>::zeroed()?.to_value()?, 0);
    assert_eq!(*LockedBuffer::<u32>::zeroed(3)?, [0; 3]);
    assert_eq!(*LockedBuffer::from_slice(&[4_u8, 5])?, [4, 5]);
    // SAFETY: it is written before it is read.
    let mut room = unsafe { DeviceBuffer::<u8>::uninitialized(3)? };
    room.copy_from(&[1, 2, 3])?;
    room[..2].copy_to(&mut [0; 2])
}

fn copies() -> Result<()> {
    let stream = Stream::new()?;
    let (mut dev, mut other) = (device_vec![0_u8; 64]?, device_vec![7_u8; 64]?);
    let mut locked = locked_vec![1_u8; 64]?;
    let mut host = vec![2_u8; 64];
    copy!(dev <- locked)?;
    copy!(other[..32] <- dev[32..])?;
    copy!(locked <- other)?;
    assert_eq!((locked[..32].to_vec(), locked[32..].to_vec()), (vec![1; 32], vec![7; 32]));
    copy!(dev <- host, stream)?;
    copy!(locked <- dev, stream)?;
    assert_eq!(*locked, [2; 64]);
    copy!(locked[..10] <- other[..10], stream)?;
    copy!(host <- other, stream)?;
    copy!(locked <- host)?;
    assert_eq!(locked[..], host);
    // Checked, and through scratch memory.
    let flags = device_vec![true, false]?;
    let mut checked = locked_vec![false; 2]?;
    copy!(checked <- flags)?;
    let mut room = [MaybeUninit::uninit(); 2];
    copy!(room[..] <- flags)?;
    assert_eq!((&*checked, flags.to_vec()?), ([true, false].as_slice(), vec![true, false]));
    Ok(())
}

fn fills() -> Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0_u64; 33]?;
    fill!(dev <- 0x0101_0101_0101_0101)?;
    fill!(dev[1..] <- 0x0102_0304_0506_0708, stream)?;
    fill!(dev[2] <- 0x0102_0304_0102_0304)?;
    dev[3..4].set_8(7)?;
    dev[4..5].set_16(0x0102)?;
    dev[5..6].set_32(0x0102_0304)?;
    dev[6..7].set_zero()?;
    let expected = [
        0x0101_0101_0101_0101,
        0x0102_0304_0506_0708,
        0x0102_0304_0102_0304,
        0x0707_0707_0707_0707,
        0x0102_0102_0102_0102,
        0x0102_0304_0102_0304,
        0,
        0x0102_0304_0506_0708,
    ];
    assert_eq!(dev[..8].to_vec()?, expected);
    let mut locked = locked_vec![0_u8; 3]?;
    fill!(locked <- 4)
}

/// Streams, events and raw copies. Nothing is dropped before a wait has succeeded.
fn in_flight() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let (start, end) = (Event::new()?, Event::new()?);
    let (mut dev, mut middle) = (device_vec![1_u8; 100]?, device_vec![2_u8; 100]?);
    let (source, mut back) = (locked_vec![3_u8; 100]?, locked_vec![4_u8; 100]?);
    let mut queue = || {
        stream.record(&start)?;
        // SAFETY: the five are used by nothing else until both streams have been waited for, whatever fails.
        unsafe { copy!(dev <- source, async stream) }?;
        // SAFETY: as above; the copies are in order on one stream.
        unsafe { copy!(middle <- dev, async stream) }?;
        stream.record(&end)?;
        other.wait_event(&end)?;
        // SAFETY: as above; the event orders the streams.
        unsafe { copy!(back <- middle, async other) }
    };
    let queued = queue();
    let waited = [wait(&stream), wait(&other)];
    queued?;
    waited.into_iter().collect::<Result<()>>()?;
    assert_eq!(*back, [3; 100]);
    assert!(stream.query()? && end.query()?);
    end.synchronize()?;
    end.elapsed_since(&start)?;
    Ok(())
}

/// Owners taken apart and put together. Their contexts stay open.
fn raw_parts(first: &Context, _: &Context) -> Result<()> {
    let _entered = first.enter();
    let dev = device_vec![1_u32, 2, 3]?;
    let locked = locked_vec![4_u32; 3]?;
    let boxed = device_box![5_u8]?;
    let (pointer, len) = dev.into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart.
    let dev = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
    let (host, len) = locked.into_raw_parts();
    // SAFETY: as above.
    let locked = unsafe { LockedBuffer::from_raw_parts(host, len) };
    // SAFETY: as above.
    let boxed = unsafe { DeviceBox::from_raw(boxed.into_raw()) };
    // SAFETY: the memory is `dev`'s, which stays.
    let borrowed = unsafe { DeviceBuffer::borrowed(pointer, 3) };
    copy!(borrowed <- locked)?;
    assert_eq!((dev.to_vec()?, boxed.to_value()?), (vec![4; 3], 5));
    let leaked = device_vec![6_u8; 10]?.leak();
    // SAFETY: the memory that was just leaked.
    drop(unsafe { DeviceBuffer::from_raw_parts(leaked.as_device_ptr(), leaked.len()) });
    Ok(())
}

/// A simulator and its first device's context.
fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

fn failing(entry: &str, n: u64, code: u32) -> SimOptions {
    SimOptions::default().fail(Fault::nth(entry, n, Status(code)))
}

#[test]
fn a_half_failed_constructor_leaves_nothing() {
    type Constructor = fn() -> Result<()>;
    let upload: Constructor = || device_vec![1_u8, 2].map(drop);
    let wide: Constructor = || device_vec![[1_u8, 2, 3]; 9].map(drop);
    let zeroed: Constructor = || DeviceBuffer::<u64>::zeroed(9).map(drop);
    let boxed: Constructor = || device_box![3_u32].map(drop);
    let cases = [
        (upload, "cuMemcpyHtoDAsync_v2", 1),
        (upload, "cuStreamSynchronize", 1),
        (upload, "cuStreamSynchronize", 2),
        (wide, "cuMemcpyHtoDAsync_v2", 1),
        (wide, "cuMemcpyDtoDAsync_v2", 4),
        (zeroed, "cuStreamSynchronize", 1),
        (zeroed, "cuStreamCreateWithPriority", 2), // the first is the allocator's
        (zeroed, "cuMemsetD8Async", 1),
        (zeroed, "cuStreamSynchronize", 2),
        (boxed, "cuMemcpyHtoDAsync_v2", 1),
    ];
    for (constructor, entry, n) in cases {
        let (sim, context) = open(failing(entry, n, 999));
        let _entered = context.enter();
        let error = constructor().unwrap_err();
        assert_eq!(error, Error::Driver { operation: entry, status: Status::UNKNOWN });
        let calls = sim.calls();
        assert!(calls.contains(&"cuMemFreeAsync"), "{entry} {n}: {calls:?}");
        constructor().unwrap();
        assert_eq!(context.take_drop_errors(), []);
        assert_eq!(kinds(&sim.finish()), [], "{entry} {n}");
    }
}

#[test]
fn a_half_opened_context_leaves_nothing() {
    let made_before = [
        ("cuCtxGetCurrent", 0),
        ("cuCtxSetCurrent", 0),
        ("cuStreamCreateWithPriority", 0),
        ("cuDeviceGetAttribute", 1),
        ("cuMemPoolCreate", 1),
        ("cuMemPoolSetAttribute", 1),
    ];
    for (entry, streams) in made_before {
        let sim = Sim::new(failing(entry, 1, 4242));
        let device = sim.device(0).unwrap();
        let error = Context::new(&device).unwrap_err();
        assert_eq!(error, Error::Driver { operation: entry, status: Status(4242) });
        let calls = counts(&sim);
        let count = |entry| calls.get(entry).copied().unwrap_or(0);
        assert_eq!(count("cuDevicePrimaryCtxRelease_v2"), 1);
        assert_eq!(count("cuStreamDestroy_v2"), streams);
        assert_eq!(count("cuMemPoolDestroy"), u64::from(entry == "cuMemPoolSetAttribute"));
        small_job(&Context::new(&device).unwrap()).unwrap();
        assert_eq!(kinds(&sim.finish()), []);
    }
}

#[test]
fn a_free_that_fails_while_a_panic_unwinds_does_not_abort() {
    let options = failing("cuMemFreeAsync", 1, 4242).fail(Fault::nth("cuMemFreeHost", 1, Status::UNKNOWN));
    let (sim, context) = open(options);
    let _entered = context.enter();
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _locked = locked_vec![1_u8; 10].unwrap();
        let _dev = device_vec![1_u8; 10].unwrap();
        resume_unwind(Box::new("the test's own panic"));
    }));
    assert_eq!(unwound.unwrap_err().downcast_ref(), Some(&"the test's own panic"));
    // The frees came in the order of the drops.
    let expected = [
        Error::Driver { operation: "cuMemFreeAsync", status: Status(4242) },
        Error::Driver { operation: "cuMemFreeHost", status: Status::UNKNOWN },
    ];
    assert_eq!(context.take_drop_errors(), expected);
    assert_eq!(kinds(&sim.finish()), [ViolationKind::Leak; 2]);
}

#[test]
fn a_failed_drop_surfaces_in_its_own_channel_only() {
    let (sim, context) = open(failing("cuMemFreeAsync", 1, 700));
    drop(device_vec![in &context; 1_u8; 10].unwrap());
    // Whatever comes next is none the worse for it.
    let dev = device_vec![in &context; 2_u8; 10].unwrap();
    assert_eq!(dev.to_vec().unwrap(), [2; 10]);
    context.synchronize().unwrap();
    context.trim(0).unwrap();
    dev.try_free().unwrap();
    let errors = context.take_drop_errors();
    assert_eq!(errors, [Error::Driver { operation: "cuMemFreeAsync", status: Status::ILLEGAL_ADDRESS }]);
    assert_eq!(context.take_drop_errors(), []);
    assert_eq!(kinds(&sim.finish()), [ViolationKind::Leak]);
}

#[test]
fn try_free_gives_the_memory_back_with_the_error() {
    let cases = [(SimOptions::default(), "cuMemFreeAsync"), (SimOptions::default().without_pools(), "cuMemFree_v2")];
    for (options, entry) in cases {
        let (sim, context) = open(options.fail(Fault::nth(entry, 1, Status(4242))));
        let dev = device_vec![in &context; 1_u8, 2, 3].unwrap();
        let (error, dev) = dev.try_free().unwrap_err();
        assert_eq!(error, Error::Driver { operation: entry, status: Status(4242) });
        assert_eq!(dev.to_vec().unwrap(), [1, 2, 3]);
        dev.try_free().unwrap();
        assert_eq!(context.take_drop_errors(), []);
        assert_eq!(kinds(&sim.finish()), []);
    }
}

#[test]
fn try_free_gives_boxes_and_locked_memory_back_too() {
    let options = failing("cuMemFreeAsync", 1, 999).fail(Fault::nth("cuMemFreeHost", 1, Status(4242)));
    let (sim, context) = open(options);
    let _entered = context.enter();
    let (error, boxed) = device_box![8_u64].unwrap().try_free().unwrap_err();
    assert_eq!((error.status(), boxed.to_value()), (Some(Status::UNKNOWN), Ok(8)));
    boxed.try_free().unwrap();
    let (error, mut locked) = locked_vec![1_u8; 3].unwrap().try_free().unwrap_err();
    assert_eq!(error, Error::Driver { operation: "cuMemFreeHost", status: Status(4242) });
    locked[0] = 5;
    assert_eq!(*locked, [5, 1, 1]);
    locked.try_free().unwrap();
    assert_eq!(context.take_drop_errors(), []);
    assert_eq!(kinds(&sim.finish()), []);
}

/// While the process exits the driver may be gone already, and has freed everything.
#[test]
fn a_driver_that_is_gone_has_freed_everything() {
    let cases = [(SimOptions::default(), "cuMemFreeAsync"), (SimOptions::default().without_pools(), "cuMemFree_v2")];
    for (options, entry) in cases {
        let gone = |entry| Fault::every(entry, Status::DEINITIALIZED);
        let (sim, context) = open(options.fail(gone(entry)).fail(gone("cuMemFreeHost")));
        let _entered = context.enter();
        drop((device_vec![1_u8; 10].unwrap(), locked_vec![1_u8; 10].unwrap()));
        device_vec![2_u8; 10].unwrap().try_free().unwrap();
        locked_vec![2_u8; 10].unwrap().try_free().unwrap();
        device_box![2_u8].unwrap().try_free().unwrap();
        assert_eq!(context.take_drop_errors(), []);
        // This driver was there all the time.
        assert_eq!(kinds(&sim.finish()), [ViolationKind::Leak; 5]);
    }
}

#[test]
fn a_driver_that_is_gone_before_the_context_is_bound_has_freed_everything_too() {
    let make = |options| {
        let (sim, context) = open(options);
        let dev = device_vec![in &context; 1_u8; 10].unwrap();
        (sim, context, dev)
    };
    let clean = make(SimOptions::default());
    let before_the_drop = counts(&clean.0)["cuCtxGetCurrent"];
    let (sim, context, dev) = make(failing("cuCtxGetCurrent", before_the_drop + 1, Status::DEINITIALIZED.0));
    drop(dev);
    assert_eq!(context.take_drop_errors(), []);
    assert_eq!(kinds(&sim.finish()), [ViolationKind::Leak]);
}
