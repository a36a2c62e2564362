//! What is done where something is refused, and how one hears of it.

use memcore::memory::{cuda_free_locked, cuda_malloc_locked};
use memcore::prelude::*;
use memcore::sim::{Fault, SimOptions, ViolationKind};
use memcore::{Error, LockedFlags, LockedStatistics, Status};

use super::{HUGE_PAGE, LARGE, calls, is_mapped, kinds, open, warnings, zeroed};

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
    assert_eq!((context.locked_statistics().without_huge_pages, warnings().len()), (0, 0));
    for turn in 1..=2 {
        assert!(zeroed(&context, turn * 2 * HUGE_PAGE).unwrap().iter().all(|byte| *byte == 0));
        let LockedStatistics { mapped, without_huge_pages, refused, .. } = context.locked_statistics();
        assert_eq!((mapped, without_huge_pages, refused), (1 + turn as u64, turn as u64, 0));
    }
    assert_eq!(warnings(), ["large page-locked memory takes longer to allocate: the system has no huge pages"]);
    drop(context);
    assert!(sim.finish().is_empty());
}

#[test]
fn at_the_limit_on_locked_memory_what_is_kept_is_given_back() {
    let (sim, context) = open(SimOptions::default().host_lock_limit(4 * LARGE as u64));
    let error = zeroed(&context, 6 * LARGE).unwrap_err();
    assert_eq!(error.to_string(), "cuMemHostAlloc is out of memory: 1572864 bytes asked for");
    assert_eq!(context.locked_statistics().refused, 1);
    let held = zeroed(&context, LARGE).unwrap();
    // For large memory, for small memory, and for that of another context.
    drop(zeroed(&context, 2 * LARGE).unwrap());
    let large = zeroed(&context, 3 * LARGE).unwrap();
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    drop(large);
    assert_eq!(context.locked_statistics().kept_bytes, 3 * LARGE as u64);
    let small = zeroed(&context, 100).unwrap();
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    drop(zeroed(&context, 2 * LARGE).unwrap());
    let combined = LockedBuffer::<u8>::zeroed_with(&context, LockedFlags::WRITE_COMBINED, 2 * LARGE).unwrap();
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    assert_eq!((held[LARGE - 1], small[99], combined[LARGE]), (0, 0, 0));
    drop((held, small, combined, context));
    assert!(sim.finish().is_empty());

    let (sim, one) = open(SimOptions::default().devices(2).host_lock_limit(4 * LARGE as u64));
    let two = Context::new(&sim.device(1).unwrap()).unwrap();
    drop(zeroed(&one, 3 * LARGE).unwrap());
    drop(zeroed(&two, 2 * LARGE).unwrap());
    assert_eq!((one.locked_statistics().kept_bytes, two.locked_statistics().kept_bytes), (0, 2 * LARGE as u64));
    drop((one, two));
    assert!(sim.finish().is_empty());
    assert_eq!(warnings().len(), 1, "the first context's first refusal");
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

/// Freed by hand too: what a device may still use is neither kept nor unmapped.
#[test]
fn nothing_is_freed_that_a_dead_context_may_still_use() {
    let (sim, context) = open(SimOptions::default().fail(Fault::sticky("cuMemcpyHtoDAsync_v2", 1, Status(700))));
    let _entered = context.enter();
    // SAFETY: it is written before anything reads it.
    let pointer = unsafe { cuda_malloc_locked::<u8>(LARGE) }.unwrap();
    // SAFETY: the memory has as many bytes.
    unsafe { pointer.write_bytes(7, LARGE) };
    assert_eq!(DeviceBuffer::from_slice(&[1_u8; 8]).unwrap_err().status(), Some(Status(700)));
    // SAFETY: nothing uses it; what the device does, the call asks.
    assert_eq!(unsafe { cuda_free_locked(pointer) }, Err(Error::Unsettled));
    // SAFETY: it was not freed.
    assert_eq!(unsafe { pointer.wrapping_add(LARGE - 1).read() }, 7);
    assert_eq!(context.locked_statistics().kept_bytes, 0);
    let _ = (context.take_drop_errors(), sim.finish());
}
