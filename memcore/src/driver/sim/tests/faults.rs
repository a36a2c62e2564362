//! Calls that are made to fail.

use std::time::{Duration, Instant};

use super::super::backing::POISON;
use super::super::death::LANDING_DELAY;
use super::super::{Fault, SimOptions};
use super::rig::{Rig, call, ok};
use crate::error::Status;

#[test]
fn the_nth_call_fails_without_effect() {
    let rig = Rig::new(SimOptions::default().fail(Fault::nth("cuMemAlloc_v2", 2, Status::OUT_OF_MEMORY)));
    let first = rig.alloc(64);
    let mut second = 7;
    assert_eq!(call!(rig, mem_alloc(&mut second, 64)), Status::OUT_OF_MEMORY);
    assert_eq!(second, 7);
    let third = rig.alloc(64);
    ok!(rig, mem_free(first));
    ok!(rig, mem_free(third));
    assert!(rig.kinds().is_empty());
}

#[test]
fn every_call_fails_with_any_code() {
    let rig = Rig::new(SimOptions::default().fail(Fault::every("cuMemFree_v2", Status(4242))));
    let dev = rig.alloc(64);
    for _ in 0..2 {
        assert_eq!(call!(rig, mem_free(dev)), Status(4242));
    }
    assert_eq!(rig.kinds().len(), 1, "it was never freed");
}

#[test]
fn a_missing_symbol_fails_that_call_only() {
    let rig = Rig::new(SimOptions::default().without_symbol("cuMemAllocAsync"));
    assert_eq!(call!(rig, mem_alloc_async(&mut 0, 64, core::ptr::null_mut())), Status::MISSING_SYMBOL);
    let dev = rig.alloc(64);
    ok!(rig, mem_free(dev));
}

#[test]
fn after_a_sticky_fault_waits_return_and_queued_copies_land_later() {
    let fault = Fault::sticky("cuStreamSynchronize", 1, Status::ILLEGAL_ADDRESS);
    let rig = Rig::new(SimOptions::default().fail(fault));
    let (dev, host, ticket, stream, event) = (rig.alloc(4), rig.locked(4), rig.locked(4), rig.stream(1), rig.event());
    ticket.write(&[0; 4]);
    ok!(rig, memset_d8_async(dev, 5, 4, stream));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    ok!(rig, stream_write_value_32(stream, ticket.pointer.addr() as u64, u32::MAX, 0));
    ok!(rig, event_record(event, stream));
    let dead = Status::ILLEGAL_ADDRESS;
    let died = Instant::now();
    for status in [
        call!(rig, stream_synchronize(stream)),
        call!(rig, stream_synchronize(stream)),
        call!(rig, stream_query(stream)),
        call!(rig, event_synchronize(event)),
        call!(rig, event_query(event)),
        call!(rig, context_synchronize()),
        call!(rig, mem_alloc(&mut 0, 4)),
        call!(rig, memset_d8_async(dev, 6, 4, stream)),
        call!(rig, memset_d8(dev, 6, 4)),
        call!(rig, event_record(event, stream)),
        call!(rig, mem_free_async(dev, stream)),
        call!(rig, mem_host_alloc(&mut core::ptr::null_mut(), 4, 0)),
    ] {
        assert_eq!(status, dead);
    }
    // Asking is allowed.
    ok!(rig, stream_is_capturing(stream, &mut 0));
    ok!(rig, exchange_capture_mode(&mut 0));
    let (early, quick) = (host.read(), died.elapsed() < LANDING_DELAY);
    assert!(!quick || early == [POISON; 4], "nothing has landed yet");
    // The ticket comes after the copies before it.
    let patience = Instant::now();
    while ticket.read() != [255; 4] {
        assert!(patience.elapsed() < Duration::from_secs(20));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(host.read(), [5; 4]);
    assert_eq!(call!(rig, mem_free_host(host.pointer)), dead);
    assert_eq!(call!(rig, mem_free(dev)), dead);
    assert!(rig.kinds().is_empty(), "memory that a dead context keeps is not reported as a leak");
}

#[test]
fn a_dead_context_leaves_the_others_alone() {
    let fault = Fault::sticky("cuMemsetD8_v2", 2, Status::LAUNCH_FAILED);
    let rig = Rig::new(SimOptions::default().devices(2).fail(fault));
    let dev = rig.alloc(4);
    ok!(rig, memset_d8(dev, 1, 4));
    assert_eq!(call!(rig, memset_d8(dev, 1, 4)), Status::LAUNCH_FAILED);
    assert_eq!(call!(rig, context_synchronize()), Status::LAUNCH_FAILED);
    ok!(rig, context_set_current(rig.retain(1)));
    let there = rig.alloc(4);
    ok!(rig, memset_d8(there, 1, 4));
    ok!(rig, context_synchronize());
    ok!(rig, mem_free(there));
}

#[test]
fn unregistering_in_a_dead_context_runs_what_is_queued_first() {
    let fault = Fault::sticky("cuCtxSynchronize", 1, Status::ILLEGAL_ADDRESS);
    let rig = Rig::new(SimOptions::default().fail(fault));
    let (dev, stream) = (rig.alloc(4), rig.stream(1));
    let mut own = vec![0u8; 4];
    let pointer = own.as_mut_ptr();
    ok!(rig, mem_host_register(pointer.cast(), 4, 0));
    ok!(rig, memset_d8_async(dev, 5, 4, stream));
    ok!(rig, memcpy_dtoh_async(pointer.cast(), dev, 4, stream));
    assert_eq!(call!(rig, context_synchronize()), Status::ILLEGAL_ADDRESS);
    assert_eq!(call!(rig, mem_host_unregister(pointer.cast())), Status::ILLEGAL_ADDRESS);
    assert_eq!(own, [5; 4]);
}

#[test]
fn a_driver_that_shuts_down_ends_what_is_queued_and_says_so_ever_after() {
    let rig = Rig::new(SimOptions::default().fail(Fault::deinitialized("cuStreamQuery", 2)));
    let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(1));
    assert_eq!(call!(rig, stream_query(stream)), Status::SUCCESS);
    ok!(rig, memset_d8_async(dev, 5, 4, stream));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    assert_eq!(call!(rig, stream_query(stream)), Status::DEINITIALIZED);
    assert_eq!(host.read(), [5; 4]);
    for status in [
        call!(rig, stream_query(stream)),
        call!(rig, stream_synchronize(stream)),
        call!(rig, mem_free(dev)),
        call!(rig, mem_free_host(host.pointer)),
        call!(rig, init(0)),
        call!(rig, exchange_capture_mode(&mut 0)),
        call!(rig, stream_destroy(stream)),
    ] {
        assert_eq!(status, Status::DEINITIALIZED);
    }
    assert!(rig.kinds().is_empty(), "what a driver takes with it is no leak");
}
