//! Large page-locked memory on a simulated device: which calls it makes, and that the pages which are kept hide no mistake.

mod model;
mod refused;

use std::cell::RefCell;
use std::sync::Once;

use log::{LevelFilter, Log, Metadata, Record};
use memcore::memory::{cuda_free_locked, cuda_malloc_locked, memcpy_htod};
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions, Violation, ViolationKind};
use memcore::{Error, LockedFlags, LockedStatistics, Result, Status};

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
    let LockedStatistics { kept_bytes, kept_limit, reused, mapped, without_huge_pages, refused, .. } = before;
    assert_eq!((kept_bytes, reused, mapped, without_huge_pages, refused), (0, 0, 0, 0, 0));
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

/// A huge page that is half full is whole: it is counted so, and serves whoever wants so much.
#[test]
fn a_huge_page_is_kept_as_a_whole() {
    let setting = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    let has_huge = !setting.is_ok_and(|setting| setting.contains("[never]"));
    for (options, whole) in [
        (SimOptions::default(), if has_huge { HUGE_PAGE } else { HUGE_PAGE / 2 }),
        (SimOptions::default().without_huge_pages(), HUGE_PAGE / 2),
    ] {
        let (sim, context) = open(options);
        let half = zeroed(&context, HUGE_PAGE / 2).unwrap();
        let place = half.as_ptr();
        drop(half);
        assert_eq!(context.locked_statistics().kept_bytes, whole as u64);
        for len in [HUGE_PAGE / 2, whole - 1, whole, HUGE_PAGE / 2] {
            let mut again = zeroed(&context, len).unwrap();
            assert_eq!((again.as_ptr(), again.len()), (place, len));
            assert!(again.iter().all(|byte| *byte == 0));
            again.fill(1);
        }
        assert_eq!((context.locked_statistics().mapped, context.locked_statistics().reused), (1, 4));
        // Less than half, and more than a whole.
        for len in [HUGE_PAGE / 2 - 4096, HUGE_PAGE + 1] {
            assert_eq!(zeroed(&context, len).unwrap().as_ptr() == place, len < whole && 5 * len >= 4 * whole);
        }
        drop(context);
        assert!(sim.finish().is_empty());
    }
}

#[test]
fn the_oldest_goes_first() {
    let (sim, context) = open(SimOptions::default());
    context.keep_locked_memory(5 * LARGE).unwrap();
    let [one, two, three] = [1, 2, 3].map(|times| zeroed(&context, times * LARGE).unwrap());
    let places = [one.as_ptr(), two.as_ptr(), three.as_ptr()];
    drop((one, two, three));
    // 1 + 2 + 3 are too many: the first is gone.
    assert_eq!(context.locked_statistics().kept_bytes, 5 * LARGE as u64);
    assert!(!is_mapped(places[0].addr()));
    let again = [2, 3].map(|times| zeroed(&context, times * LARGE).unwrap());
    assert_eq!(again.each_ref().map(|one| one.as_ptr()), places[1..]);
    drop((again, context));
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
