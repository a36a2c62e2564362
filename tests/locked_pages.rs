//! Large page-locked memory on a simulated device: which calls it makes, what is done where something is refused and how one
//! hears of it, and that the pages which are kept hide no mistake.

use std::cell::RefCell;
use std::sync::Once;

use log::{LevelFilter, Log, Metadata, Record};
use memcore::memory::{cuda_free_locked, cuda_malloc_locked, memcpy_htod};
use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions, Violation, ViolationKind};
use memcore::{Error, LockedFlags, LockedStatistics, Result, Status};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use proptest::test_runner::Config;

const LARGE: usize = 256 << 10;
const HUGE_PAGE: usize = 2 << 20;

thread_local! {
    /// The warnings of this thread.
    static WARNINGS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

struct Collect;

impl Log for Collect {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() == log::Level::Warn
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            WARNINGS.with_borrow_mut(|all| all.push(record.args().to_string()));
        }
    }

    fn flush(&self) {}
}

fn open(options: SimOptions) -> (Sim, Context) {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        log::set_logger(&Collect).unwrap();
        log::set_max_level(LevelFilter::Warn);
    });
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    sim.clear_calls();
    (sim, context)
}

fn warnings() -> Vec<String> {
    WARNINGS.take()
}

#[track_caller]
fn zeroed(context: &Context, len: usize) -> Result<LockedBuffer<u8>> {
    LockedBuffer::zeroed_in(context, len)
}

/// The calls since the last time, without those that are made around any other.
fn calls(sim: &Sim) -> Vec<&'static str> {
    let around = ["cuCtxGetCurrent", "cuCtxSetCurrent", "cuThreadExchangeStreamCaptureMode"];
    let calls = sim.calls().into_iter().filter(|call| !around.contains(call)).collect();
    sim.clear_calls();
    calls
}

fn kinds(violations: &[Violation]) -> Vec<ViolationKind> {
    violations.iter().map(Violation::kind).collect()
}

/// Whether a page can be read.
fn is_mapped(address: usize) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().any(|line| {
        let (range, rest) = line.split_once(' ').unwrap();
        let (start, end) = range.split_once('-').unwrap();
        let range = usize::from_str_radix(start, 16).unwrap()..usize::from_str_radix(end, 16).unwrap();
        range.contains(&address) && rest.starts_with('r')
    })
}

#[test]
fn the_calls() {
    let (sim, context) = open(SimOptions::default());
    let small = zeroed(&context, LARGE - 1).unwrap();
    assert_eq!(calls(&sim), ["cuMemHostAlloc"]);
    drop(small);
    assert_eq!(calls(&sim), ["cuMemFreeHost"]);
    let first = zeroed(&context, LARGE).unwrap();
    assert_eq!(calls(&sim), ["cuMemHostRegister_v2"]);
    let address = first.as_ptr();
    drop(first);
    assert_eq!(calls(&sim), ["cuStreamQuery"]);
    let second = LockedBuffer::filled_in(&context, 1_u8, LARGE).unwrap();
    assert_eq!((calls(&sim).as_slice(), second.as_ptr()), ([].as_slice(), address));
    second.try_free().unwrap();
    sim.clear_calls();
    context.keep_locked_memory(0).unwrap();
    assert_eq!(calls(&sim), ["cuMemHostUnregister"]);
    drop(zeroed(&context, LARGE).unwrap());
    assert_eq!(calls(&sim), ["cuMemHostRegister_v2", "cuMemHostUnregister"]);
    // What is not cached by the host is the driver's to allocate, whatever its size.
    let combined = LockedBuffer::<u8>::zeroed_with(&context, LockedFlags::WRITE_COMBINED, LARGE).unwrap();
    assert_eq!(calls(&sim), ["cuMemHostAlloc"]);
    drop(combined);
    assert_eq!(calls(&sim), ["cuMemFreeHost"]);
    // What is left goes with the context.
    context.keep_locked_memory(usize::MAX).unwrap();
    drop([1, 2].map(|times| zeroed(&context, times * LARGE).unwrap()));
    sim.clear_calls();
    assert_eq!(context.take_drop_errors(), []);
    drop(context);
    assert_eq!(calls(&sim)[..2], ["cuMemHostUnregister"; 2]);
    assert!(sim.finish().is_empty());
    assert_eq!(warnings(), [""; 0]);
}

#[test]
fn statistics_say_what_became_of_each() {
    let (sim, context) = open(SimOptions::default());
    let before = context.locked_statistics();
    let LockedStatistics { kept_bytes, kept_limit, reused, mapped, small_pages, refused, .. } = before;
    assert_eq!((kept_bytes, reused, mapped, small_pages, refused), (0, 0, 0, 0, 0));
    assert!(kept_limit <= 2 << 30, "{kept_limit}");
    // Whole pages are kept, and small memory is not counted.
    drop(zeroed(&context, LARGE + 1).unwrap());
    drop(zeroed(&context, 100).unwrap());
    drop(zeroed(&context, LARGE).unwrap());
    let LockedStatistics { kept_bytes, reused, mapped, refused, .. } = context.locked_statistics();
    assert_eq!((kept_bytes, reused, mapped, refused), (LARGE as u64 + 4096, 1, 1, 0));
    drop(context);
    assert!(sim.finish().is_empty());
}

/// Each refusal leaves the memory to the driver, and is counted and said, once a context.
#[test]
fn what_is_refused_the_driver_allocates() {
    let register = "cuMemHostRegister_v2";
    let system = "the system maps no 524288 bytes";
    let refused = |status| Error::Driver { operation: register, status }.to_string();
    let missing = Error::MissingSymbol { symbol: register }.to_string();
    let no_memory = Fault::every(register, Status::OUT_OF_MEMORY);
    for (options, why, asked) in [
        (SimOptions::default().without_host_pages(), system.to_owned(), 0),
        (SimOptions::default().without_host_registration(), refused(Status::NOT_SUPPORTED), 1),
        (SimOptions::default().without_symbol(register), missing, 0),
        (SimOptions::default().fail(no_memory), refused(Status::OUT_OF_MEMORY), 2),
        (SimOptions::default().fail(Fault::every(register, Status(4242))), refused(Status(4242)), 2),
    ] {
        let (sim, context) = open(options);
        for turn in 1..=2 {
            let mut locked = zeroed(&context, 2 * LARGE).unwrap();
            assert!(locked.iter().all(|byte| *byte == 0));
            locked.fill(7);
            let dev = DeviceBuffer::from_slice_in(&context, &locked).unwrap();
            locked.fill(8);
            copy!(locked <- dev).unwrap();
            assert!(locked.iter().all(|byte| *byte == 7));
            let LockedStatistics { mapped, refused, reused, .. } = context.locked_statistics();
            assert_eq!((mapped, refused, reused), (0, turn, 0), "{why}");
        }
        let count = |entry: &str| sim.calls().iter().filter(|call| **call == entry).count();
        assert_eq!((count(register), count("cuMemFreeHost")), (asked, 2), "{why}");
        assert_eq!(warnings(), [format!("large page-locked memory takes longer to allocate: {why}")]);
        assert_eq!(context.locked_statistics().kept_bytes, 0);
        drop(context);
        assert!(sim.finish().is_empty());
    }
    // More than there is, nobody has.
    let (sim, context) = open(SimOptions::default());
    let error = zeroed(&context, 1 << 46).unwrap_err();
    assert_eq!(error.to_string(), "cuMemHostAlloc is out of memory: 70368744177664 bytes asked for");
    assert_eq!(calls(&sim), ["cuMemHostAlloc"]);
    assert_eq!(warnings().len(), 1);
    assert!(sim.finish().is_empty());
}

#[test]
fn without_huge_pages_small_ones_do() {
    let (sim, context) = open(SimOptions::default().without_huge_pages());
    // Of this there is no huge page.
    drop(zeroed(&context, HUGE_PAGE - 4096).unwrap());
    assert_eq!((context.locked_statistics().small_pages, warnings().len()), (0, 0));
    for turn in 1..=2 {
        assert!(zeroed(&context, turn * 2 * HUGE_PAGE).unwrap().iter().all(|byte| *byte == 0));
        let LockedStatistics { mapped, small_pages, refused, .. } = context.locked_statistics();
        assert_eq!((mapped, small_pages, refused), (1 + turn as u64, turn as u64, 0));
    }
    assert_eq!(warnings(), ["large page-locked memory takes longer to allocate: the system has no huge pages"]);
    drop(context);
    assert!(sim.finish().is_empty());
}

#[test]
fn at_the_limit_on_locked_memory_what_is_kept_is_given_back() {
    let (sim, context) = open(SimOptions::default().host_lock_limit(5 * LARGE as u64));
    let error = zeroed(&context, 6 * LARGE).unwrap_err();
    assert_eq!(error.to_string(), "cuMemHostAlloc is out of memory: 1572864 bytes asked for");
    assert_eq!(context.locked_statistics().refused, 1);
    let held = zeroed(&context, LARGE).unwrap();
    // For large memory, for small memory, and for that of another context.
    drop(zeroed(&context, 3 * LARGE).unwrap());
    let large = zeroed(&context, 4 * LARGE).unwrap();
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    drop(large);
    assert_eq!(context.locked_statistics().kept_bytes, 4 * LARGE as u64);
    let small = zeroed(&context, 100).unwrap();
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    drop(zeroed(&context, 3 * LARGE).unwrap());
    let combined = LockedBuffer::<u8>::zeroed_with(&context, LockedFlags::WRITE_COMBINED, 2 * LARGE).unwrap();
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    assert_eq!((held[LARGE - 1], small[99], combined[LARGE]), (0, 0, 0));
    drop((held, small, combined, context));
    assert!(sim.finish().is_empty());

    let (sim, one) = open(SimOptions::default().devices(2).host_lock_limit(5 * LARGE as u64));
    let two = Context::new(&sim.device(1).unwrap()).unwrap();
    drop(zeroed(&one, 4 * LARGE).unwrap());
    drop(zeroed(&two, 2 * LARGE).unwrap());
    assert_eq!((one.locked_statistics().kept_bytes, two.locked_statistics().kept_bytes), (0, 2 * LARGE as u64));
    drop((one, two));
    assert!(sim.finish().is_empty());
    assert_eq!(warnings().len(), 1, "the first context's first refusal");
}

#[test]
fn the_oldest_goes_first() {
    let (sim, context) = open(SimOptions::default());
    context.keep_locked_memory(6 * LARGE).unwrap();
    let [one, two, three] = [1, 2, 4].map(|times| zeroed(&context, times * LARGE).unwrap());
    let places = [one.as_ptr(), two.as_ptr(), three.as_ptr()];
    drop((one, two, three));
    // 1 + 2 + 4 are too many: the first is gone.
    assert_eq!(context.locked_statistics().kept_bytes, 6 * LARGE as u64);
    assert!(!is_mapped(places[0].addr()));
    let again = [2, 4].map(|times| zeroed(&context, times * LARGE).unwrap());
    assert_eq!(again.each_ref().map(|one| one.as_ptr()), places[1..]);
    drop((again, context));
    assert!(sim.finish().is_empty());
}

/// Memory that may still be registered is neither unmapped nor given to anyone.
#[test]
fn what_cannot_be_unregistered_is_leaked() {
    let failed = Error::Driver { operation: "cuMemHostUnregister", status: Status::UNKNOWN };
    let fault = Fault::every("cuMemHostUnregister", Status::UNKNOWN);
    // Kept, and then given back.
    let (sim, context) = open(SimOptions::default().fail(fault.clone()));
    let locked = zeroed(&context, LARGE).unwrap();
    let place = locked.as_ptr();
    drop(locked);
    assert_eq!(context.trim(0), Err(failed.clone()));
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    let other = zeroed(&context, LARGE).unwrap();
    assert_ne!(other.as_ptr(), place);
    // Not kept: the buffer comes back, and is what it was.
    context.keep_locked_memory(0).unwrap();
    let (error, mut other) = other.try_free().unwrap_err();
    assert_eq!(error, failed);
    other.fill(6);
    let dev = DeviceBuffer::from_slice_in(&context, &other).unwrap();
    assert!(dev.to_vec().unwrap() == [6; LARGE]);
    let place = other.as_ptr();
    drop((dev, other));
    assert_eq!(context.take_drop_errors(), std::slice::from_ref(&failed));
    assert!(is_mapped(place.addr()));
    // One that makes room for another.
    context.keep_locked_memory(LARGE).unwrap();
    drop([1, 2].map(|_| zeroed(&context, LARGE).unwrap()));
    assert_eq!(context.take_drop_errors(), [failed]);
    drop(context);
    // Only what the buffer's drop could not free is the program's.
    assert_eq!(kinds(&sim.finish()), [ViolationKind::Leak]);
}

#[test]
fn memory_of_a_context_that_has_died_is_not_used_again() {
    let (sim, context) = open(SimOptions::default().fail(Fault::sticky("cuStreamQuery", 1, Status::ILLEGAL_ADDRESS)));
    let locked = zeroed(&context, LARGE).unwrap();
    let place = locked.as_ptr();
    drop(locked);
    let dead = Error::Driver { operation: "cuMemHostUnregister", status: Status::ILLEGAL_ADDRESS };
    assert_eq!(context.take_drop_errors(), [dead]);
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    assert!(is_mapped(place.addr()));
    assert_eq!(zeroed(&context, LARGE).unwrap_err().status(), Some(Status::ILLEGAL_ADDRESS));
    drop(context);
    assert!(sim.finish().is_empty());
}

/// A question that fails for once keeps nothing, and loses nothing.
#[test]
fn where_it_is_not_known_whether_the_context_lives_nothing_is_kept() {
    let (sim, context) = open(SimOptions::default().fail(Fault::nth("cuStreamQuery", 1, Status(4242))));
    drop(zeroed(&context, LARGE).unwrap());
    assert_eq!(calls(&sim), ["cuMemHostRegister_v2", "cuStreamQuery", "cuMemHostUnregister"]);
    assert_eq!((context.take_drop_errors(), context.locked_statistics().kept_bytes), (vec![], 0));
    drop(zeroed(&context, LARGE).unwrap());
    assert_eq!(context.locked_statistics().kept_bytes, LARGE as u64);
    drop(context);
    assert!(sim.finish().is_empty());
}

#[test]
fn dropped_in_flight_it_is_told_and_has_landed_before_it_is_used_again() {
    let (sim, context) = open(SimOptions::default());
    let stream = Stream::new_in(&context).unwrap();
    let dev = device_vec![in &context; 9_u8; LARGE].unwrap();
    let mut locked = zeroed(&context, LARGE).unwrap();
    let place = locked.as_ptr();
    // SAFETY: it is what is tested: the simulated device has it land before the drop returns.
    unsafe { copy!(locked <- dev, async stream) }.unwrap();
    let queued_at = (file!(), line!() - 1);
    drop(locked);
    assert_eq!(kinds(&sim.violations()), [ViolationKind::HostInFlight]);
    assert_eq!(sim.violations()[0].place(), queued_at);
    let again = zeroed(&context, LARGE).unwrap();
    assert_eq!(again.as_ptr(), place);
    stream.synchronize().unwrap();
    assert!(again.iter().all(|byte| *byte == 0));
    // Its twin.
    let mut again = again;
    // SAFETY: nothing uses either side before the wait.
    unsafe { copy!(again <- dev, async stream) }.unwrap();
    stream.synchronize().unwrap();
    drop((again, dev, stream, context));
    assert_eq!(sim.finish().len(), 1);
}

#[test]
fn used_after_it_was_freed_it_is_told() {
    let (sim, context) = open(SimOptions::default());
    let dev = device_vec![in &context; 9_u8; LARGE].unwrap();
    let (pointer, len) = zeroed(&context, LARGE).unwrap().into_raw_parts();
    // SAFETY: the parts of a buffer that was just taken apart.
    drop(unsafe { LockedBuffer::from_raw_parts(pointer, len) });
    let _entered = context.enter();
    // SAFETY: it is what is tested: the simulated device refuses the address, which it looks up before it reads.
    let used = unsafe { memcpy_htod(dev.as_device_ptr().as_raw(), pointer.cast(), len) };
    assert!(used.is_err());
    assert_eq!(kinds(&sim.violations()), [ViolationKind::UseAfterFree]);
    drop(dev);
    assert_eq!(sim.finish().len(), 1);
}

#[test]
fn what_was_not_written_is_poison() {
    let (sim, context) = open(SimOptions::default());
    for _ in 0..2 {
        // SAFETY: the bytes are looked at as what the simulated device makes of memory that nobody has written.
        let locked = unsafe { LockedBuffer::<u8>::uninitialized_in(&context, LARGE) }.unwrap();
        assert!(locked.iter().all(|byte| *byte == 0xCB));
        drop(locked);
        zeroed(&context, LARGE).unwrap().fill(1);
    }
    assert_eq!(context.locked_statistics().mapped, 1);
    drop(context);
    assert!(sim.finish().is_empty());
}

#[test]
fn what_is_forgotten_is_a_leak_and_what_is_kept_is_none() {
    let (sim, context) = open(SimOptions::default());
    drop(zeroed(&context, LARGE).unwrap());
    std::mem::forget(zeroed(&context, 2 * LARGE).unwrap());
    let forgotten_at = (file!(), line!() - 1);
    // Used again, it has the line of its second life.
    std::mem::forget(LockedBuffer::filled_in(&context, 1_u8, LARGE).unwrap());
    let then_at = (file!(), line!() - 1);
    drop(zeroed(&context, 4 * LARGE).unwrap());
    let violations = sim.finish();
    assert_eq!(kinds(&violations), [ViolationKind::Leak; 2]);
    assert_eq!([violations[0].place(), violations[1].place()], [forgotten_at, then_at]);
    assert!(violations[0].to_string().contains("524288 bytes of page-locked memory"), "{}", violations[0]);
    drop(context);
}

/// Freed twice, or in the middle, by hand.
#[test]
fn by_hand_it_is_freed_once_and_by_its_start() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    // SAFETY: nothing reads it.
    let pointer = unsafe { cuda_malloc_locked::<u32>(LARGE / 4) }.unwrap();
    let refused = Err(Error::Driver { operation: "cuMemFreeHost", status: Status::INVALID_VALUE });
    for inside in [1, 100, LARGE / 4 - 1] {
        // SAFETY: the address is refused.
        assert_eq!(unsafe { cuda_free_locked(pointer.wrapping_add(inside)) }, refused);
    }
    assert_eq!(kinds(&sim.violations()), [ViolationKind::InvalidFree; 3]);
    // SAFETY: nothing uses it.
    unsafe { cuda_free_locked(pointer) }.unwrap();
    // SAFETY: the address is refused.
    assert_eq!(unsafe { cuda_free_locked(pointer) }, refused);
    assert_eq!(kinds(&sim.violations())[3..], [ViolationKind::DoubleFree]);
    // It is kept, and another's now.
    let owned = LockedBuffer::<u32>::zeroed(LARGE / 4).unwrap();
    assert_eq!(owned.as_ptr(), pointer.cast_const());
    drop(owned);
    // SAFETY: no bytes are no memory.
    assert!(unsafe { cuda_malloc_locked::<u32>(0) }.unwrap().is_null());
    drop(_entered);
    drop(context);
    assert_eq!(sim.finish().len(), 4);
}

/// What a program makes by hand may outlive its context: it is leaked when that cannot be told.
#[test]
fn by_hand_it_may_outlive_its_context() {
    let sim = Sim::new(SimOptions::default().devices(2));
    let (one, two) = (Context::new(&sim.device(0).unwrap()).unwrap(), Context::new(&sim.device(1).unwrap()).unwrap());
    let entered = one.enter();
    // SAFETY: nothing reads it.
    let pointer = unsafe { cuda_malloc_locked::<u8>(LARGE) }.unwrap();
    drop(entered);
    drop(one);
    let entered = two.enter();
    // SAFETY: nothing uses it.
    let _ = unsafe { cuda_free_locked(pointer) };
    // Not kept where it was never registered.
    assert_eq!(two.locked_statistics().kept_bytes, 0);
    drop(entered);
    drop(two);
    assert_eq!(kinds(&sim.finish()), [ViolationKind::Leak]);
}

/// A transfer's buffer that goes while it is in flight comes to the next only when it has landed.
#[test]
fn a_transfer_that_is_dropped_keeps_its_pages_until_it_is_done() {
    let (sim, context) = open(SimOptions::default());
    let stream = Stream::new_in(&context).unwrap();
    let dev = device_vec![in &context; 9_u8; LARGE].unwrap();
    drop(stream.download(dev, zeroed(&context, LARGE).unwrap()).unwrap());
    for _ in 0..20 {
        let locked = zeroed(&context, LARGE).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1));
        assert!(locked.iter().all(|byte| *byte == 0));
    }
    stream.synchronize().unwrap();
    drop((stream, context));
    assert!(sim.finish().iter().all(|one| one.kind() == ViolationKind::Leak));
}

#[derive(Clone, Debug)]
enum Step {
    Allocate { quarters: usize, zeroed: bool },
    Free(usize),
    TakeApart(usize),
    Trim(usize),
    Limit(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let allocate = (1..24_usize, any::<bool>()).prop_map(|(quarters, zeroed)| Step::Allocate { quarters, zeroed });
    let bytes = || (0..12_usize).prop_map(|times| times * LARGE);
    prop_oneof![
        4 => allocate,
        4 => any::<usize>().prop_map(Step::Free),
        1 => any::<usize>().prop_map(Step::TakeApart),
        1 => bytes().prop_map(Step::Trim),
        1 => bytes().prop_map(Step::Limit),
    ]
}

/// Whatever is kept and given back: every buffer has its own bytes, zeros are zeros, and no more is kept than is said.
#[test]
fn random_programs_agree_with_a_plain_model() {
    let config = Config { cases: 40, ..Config::default() };
    proptest!(config, |(steps in vec(step(), 1..60))| {
        let (sim, context) = open(SimOptions::default());
        let (mut buffers, mut limit, mut large, mut number) = (Vec::new(), usize::MAX, 0, 0_u8);
        for step in steps {
            match step {
                Step::Allocate { quarters, zeroed: is_zeroed } => {
                    let len = quarters * LARGE / 4 + quarters % 3;
                    number = number % 250 + 1;
                    large += u64::from(len >= LARGE);
                    let locked = if is_zeroed {
                        let mut locked = zeroed(&context, len).unwrap();
                        prop_assert!(locked.iter().all(|byte| *byte == 0));
                        locked.fill(number);
                        locked
                    } else {
                        LockedBuffer::filled_in(&context, number, len).unwrap()
                    };
                    buffers.push((locked, number, len));
                }
                Step::Free(at) if !buffers.is_empty() => {
                    let (locked, number, _) = buffers.swap_remove(at % buffers.len());
                    prop_assert!(locked.iter().all(|byte| *byte == number));
                    locked.try_free().unwrap();
                }
                Step::TakeApart(at) if !buffers.is_empty() => {
                    let (locked, number, len) = buffers.swap_remove(at % buffers.len());
                    let (pointer, _) = locked.into_raw_parts();
                    // SAFETY: the parts of a buffer that was just taken apart.
                    buffers.push((unsafe { LockedBuffer::from_raw_parts(pointer, len) }, number, len));
                }
                Step::Trim(keep) => {
                    context.trim(keep).unwrap();
                    prop_assert!(context.locked_statistics().kept_bytes <= keep as u64);
                }
                Step::Limit(bytes) => {
                    limit = bytes;
                    context.keep_locked_memory(bytes).unwrap();
                }
                Step::Free(_) | Step::TakeApart(_) => {}
            }
            let LockedStatistics { kept_bytes, kept_limit, reused, mapped, refused, .. } = context.locked_statistics();
            prop_assert!(kept_bytes <= kept_limit && kept_limit <= limit as u64);
            prop_assert_eq!((reused + mapped, refused), (large, 0));
            for (locked, number, len) in &buffers {
                prop_assert!(locked.len() == *len && locked[0] == *number && locked[len - 1] == *number);
            }
        }
        drop(buffers);
        prop_assert_eq!(context.take_drop_errors(), vec![]);
        drop(context);
        prop_assert!(sim.finish().is_empty());
    });
}
