//! What `settle` promises of memory that host and device share.

use std::thread::sleep;
use std::time::Duration;

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions};
use memcore::{Error, Result, Status};

/// So long after a call no byte of its operands may move any more.
const LONG: Duration = Duration::from_millis(200);

const LEN: usize = 4096;

/// A simulator whose context dies at the `n`-th wait, with work queued that lands later.
fn dying_at_wait(n: u64) -> (Sim, Context) {
    let fault = Fault::sticky("cuStreamSynchronize", n, Status::ILLEGAL_ADDRESS);
    let sim = Sim::new(SimOptions::default().fail(fault));
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

#[test]
fn no_form_changes_unified_memory_after_it_returned() {
    type Form = (&'static str, fn(&mut UnifiedBuffer<u8>, &DeviceBuffer<u8>, &LockedBuffer<u8>) -> Result<()>);
    let forms: [Form; 6] = [
        ("upload", |u, _, locked| copy!(u.as_device_slice_mut() <- locked)),
        ("device to device", |u, dev, _| copy!(u.as_device_slice_mut() <- dev)),
        ("a part", |u, dev, _| copy!(u.as_device_slice_mut()[..100] <- dev[..100])),
        ("fill", |u, _, _| fill!(u.as_device_slice_mut() <- 5)),
        ("download", |u, dev, _| copy!(u <- dev)),
        ("download into a slice", |u, dev, _| copy!(u[1..] <- dev[1..])),
    ];
    for (form, run) in forms {
        let (_sim, context) = dying_at_wait(3); // the first two are those of the allocation and its fill
        let _entered = context.enter();
        let dev = device_vec![7_u8; LEN].unwrap();
        let locked = locked_vec![9_u8; LEN].unwrap();
        let mut unified = unified_vec![1_u8; LEN].unwrap();
        let result = run(&mut unified, &dev, &locked);
        assert!(result.is_err(), "{form}");
        let after = unified.to_vec();
        sleep(LONG);
        assert!(*unified == after, "{form}: bytes moved after the call had returned");
    }
}

/// Memory of one simulator, or device, taken over while another's context is entered, or none.
#[test]
fn adopted_host_memory_finds_its_own_context() {
    let (a, b) = (Sim::new(SimOptions::default().devices(2)), Sim::new(SimOptions::default()));
    let first = Context::new(&a.device(0).unwrap()).unwrap();
    let second = Context::new(&a.device(1).unwrap()).unwrap();
    let other = Context::new(&b.device(0).unwrap()).unwrap();
    for entered in [Some(&first), Some(&other), None] {
        let _entered = entered.map(Context::enter);
        let locked = LockedBuffer::from_slice_in(&second, &[1_u32, 2]).unwrap().into_raw_parts();
        let unified = UnifiedBuffer::from_slice_in(&second, &[1_u32, 2]).unwrap().into_raw_parts();
        // SAFETY: the parts of buffers that were just taken apart.
        let locked = unsafe { LockedBuffer::from_raw_parts(locked.0, locked.1) };
        // SAFETY: as above.
        let mut unified = unsafe { UnifiedBuffer::from_raw_parts(unified.0, unified.1) };
        fill!(unified.as_device_slice_mut() <- 3).unwrap();
        assert_eq!((*unified).len() + (*locked).len(), 4);
        assert!(locked.try_free().is_ok() && unified.try_free().is_ok());
    }
    assert!(a.finish().is_empty() && b.finish().is_empty());
}

/// A fill by several calls of which the first were taken: nothing moves after it returned, or the process ends.
#[test]
fn a_fill_that_fails_midway_settles_what_was_queued() {
    for n in 1..10 {
        let fault = Fault::nth("cuMemcpyDtoDAsync_v2", 9 + n, Status(4242));
        let sim = Sim::new(SimOptions::default().fail(fault));
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let _entered = context.enter();
        let mut unified = unified_vec![0.0_f64; 512].unwrap();
        fill!(unified.as_device_slice_mut() <- 1.25).unwrap(); // nine doublings
        assert!(fill!(unified.as_device_slice_mut() <- 1.5).is_err());
        let after = unified.to_vec();
        context.synchronize().unwrap();
        assert_eq!(*unified, *after);
    }
}

#[test]
fn page_locked_memory_waits_for_every_device() {
    let fault = Fault::sticky("cuStreamSynchronize", 3, Status::ILLEGAL_ADDRESS);
    let sim = Sim::new(SimOptions::default().devices(2).fail(fault));
    let (first, second) =
        (Context::new(&sim.device(0).unwrap()).unwrap(), Context::new(&sim.device(1).unwrap()).unwrap());
    let locked = LockedBuffer::filled_in(&first, 9_u8, LEN).unwrap();
    let mut dev = DeviceBuffer::filled_in(&second, 0_u8, LEN).unwrap();
    assert!(copy!(dev <- locked).is_err());
    // The second device may still read it, though the first context, to which it belongs, is well.
    drop(locked);
    assert_eq!(first.take_drop_errors(), [Error::Unsettled]);
    assert!(!sim.calls().contains(&"cuMemFreeHost"));
}

#[test]
fn a_context_found_dead_before_the_copy_is_an_error_and_no_abort() {
    let fault = Fault::sticky("cuMemHostAlloc", 2, Status::ILLEGAL_ADDRESS);
    let sim = Sim::new(SimOptions::default().fail(fault));
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let _entered = context.enter();
    let dev = device_vec![7_u8; LEN].unwrap();
    let mut locked = locked_vec![9_u8; LEN].unwrap();
    let error = copy!(locked <- dev).unwrap_err();
    assert_eq!(error.status(), Some(Status::ILLEGAL_ADDRESS));
    sleep(LONG);
    assert!(*locked == [9; LEN], "a copy was queued in a dead context");
}

#[test]
fn without_memory_for_a_ticket_a_download_works_all_the_same() {
    let sim = Sim::new(SimOptions::default().fail(Fault::nth("cuMemHostAlloc", 2, Status::OUT_OF_MEMORY)));
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let _entered = context.enter();
    let mut locked = locked_vec![9_u8; LEN].unwrap();
    copy!(locked <- device_vec![7_u8; LEN].unwrap()).unwrap();
    assert!(*locked == [7; LEN]);
}

#[test]
fn what_a_dead_context_leaves_is_no_leak_whether_it_is_closed_or_not() {
    for closed in [false, true] {
        let fault = Fault::sticky("cuMemcpyHtoDAsync_v2", 1, Status::ILLEGAL_ADDRESS);
        let sim = Sim::new(SimOptions::default().fail(fault));
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let locked = LockedBuffer::filled_in(&context, 9_u8, LEN).unwrap();
        assert!(DeviceBuffer::from_slice_in(&context, &locked).is_err());
        drop(locked);
        let kept = (!closed).then_some(context);
        assert!(sim.finish().is_empty(), "closed: {closed}");
        drop(kept);
    }
}

/// A dead context takes a call whole or not at all: what was refused writes nothing, and needs no ticket to prove it.
#[test]
fn a_refused_fill_of_unified_memory_is_an_error_and_no_abort() {
    type Form = (&'static str, fn(&mut UnifiedBuffer<u64>, &Stream) -> Result<()>);
    let forms: [Form; 6] = [
        ("cuMemsetD8Async", |u, _| fill!(u.as_device_slice_mut() <- 0x0505_0505_0505_0505)),
        ("cuMemsetD16Async", |u, _| fill!(u.as_device_slice_mut() <- 0x0102_0102_0102_0102)),
        ("cuMemsetD32Async", |u, stream| fill!(u.as_device_slice_mut() <- 0x0102_0304_0102_0304, stream)),
        // A single value, however wide, is one call too.
        ("cuMemcpyHtoDAsync_v2", |u, _| fill!(u.as_device_slice_mut()[3] <- 0x0102_0304_0506_0708)),
        // Of several calls the first.
        ("cuMemcpyHtoDAsync_v2", |u, _| fill!(u.as_device_slice_mut() <- 0x0102_0304_0506_0708)),
        ("cuMemcpyHtoDAsync_v2", |u, _| copy!(u.as_device_slice_mut() <- [9; LEN])),
    ];
    for (entry, run) in forms {
        let sim = Sim::new(SimOptions::default().fail(Fault::sticky(entry, 1, Status::ILLEGAL_ADDRESS)));
        let context = Context::new(&sim.device(0).unwrap()).unwrap();
        let _entered = context.enter();
        let stream = Stream::new().unwrap();
        let mut unified = unified_vec![1_u64; LEN].unwrap();
        assert_eq!(
            run(&mut unified, &stream),
            Err(Error::Driver { operation: entry, status: Status::ILLEGAL_ADDRESS })
        );
        sleep(LONG);
        assert!(unified.iter().all(|value| *value == 1), "{entry}");
    }
}
