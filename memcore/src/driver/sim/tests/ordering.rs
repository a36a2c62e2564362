//! What runs when, and what orders what.

use super::super::backing::POISON;
use super::super::{Order, SimOptions};
use super::rig::{Rig, call, ok};
use crate::error::Status;

const NON_BLOCKING: u32 = 1;

fn lazy() -> Rig {
    Rig::new(SimOptions::default())
}

#[test]
fn a_lazy_download_shows_nothing_before_the_wait() {
    let rig = lazy();
    let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(NON_BLOCKING));
    assert_eq!(rig.upload(dev, &[1, 2, 3, 4]), Status::SUCCESS);
    ok!(rig, context_synchronize());
    host.write(&[9; 4]);
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    assert_eq!(host.read(), [POISON; 4]);
    ok!(rig, stream_synchronize(stream));
    assert_eq!(host.read(), [1, 2, 3, 4]);
    ok!(rig, mem_free(dev));
    ok!(rig, mem_free_host(host.pointer));
    assert!(rig.kinds().is_empty());
}

#[test]
fn eager_order_runs_at_once() {
    let rig = Rig::new(SimOptions::default().order(Order::Eager));
    let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(NON_BLOCKING));
    assert_eq!(rig.upload(dev, &[1, 2, 3, 4]), Status::SUCCESS);
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    assert_eq!(host.read(), [1, 2, 3, 4]);
    ok!(rig, stream_query(stream));
}

#[test]
fn an_event_orders_two_streams() {
    let rig = lazy();
    let (dev, host) = (rig.alloc(4), rig.locked(4));
    let (first, second, event) = (rig.stream(NON_BLOCKING), rig.stream(NON_BLOCKING), rig.event());
    ok!(rig, memset_d8_async(dev, 7, 4, first));
    ok!(rig, event_record(event, first));
    ok!(rig, stream_wait_event(second, event, 0));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, second));
    ok!(rig, stream_synchronize(second));
    assert_eq!(host.read(), [7; 4]);
    ok!(rig, event_query(event));
}

#[test]
fn without_an_event_two_streams_are_not_ordered() {
    let rig = lazy();
    let (dev, host) = (rig.alloc(4), rig.locked(4));
    let (first, second, event) = (rig.stream(NON_BLOCKING), rig.stream(NON_BLOCKING), rig.event());
    ok!(rig, memset_d8_async(dev, 7, 4, first));
    // An event that was never recorded orders nothing.
    ok!(rig, stream_wait_event(second, event, 0));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, second));
    ok!(rig, stream_synchronize(second));
    assert_eq!(host.read(), [POISON; 4]);
}

#[test]
fn a_wait_joins_the_recording_as_it_was() {
    let rig = lazy();
    let (dev, host, event) = (rig.alloc(4), rig.locked(4), rig.event());
    let (first, second) = (rig.stream(NON_BLOCKING), rig.stream(NON_BLOCKING));
    ok!(rig, event_record(event, first));
    ok!(rig, memset_d8_async(dev, 7, 4, first));
    ok!(rig, stream_wait_event(second, event, 0));
    // Recorded again, and destroyed: the wait above still means the first recording.
    ok!(rig, event_record(event, first));
    ok!(rig, event_destroy(event));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, second));
    ok!(rig, stream_synchronize(second));
    assert_eq!(host.read(), [POISON; 4]);
    assert_eq!(call!(rig, event_query(event)), Status::INVALID_HANDLE);
}

#[test]
fn the_legacy_stream_orders_blocking_streams_only() {
    for (flags, seen) in [(0, [7; 4]), (NON_BLOCKING, [POISON; 4])] {
        let rig = lazy();
        let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(flags));
        ok!(rig, memset_d8_async(dev, 7, 4, stream));
        // A legacy operation comes after what blocking streams have queued…
        ok!(rig, memcpy_dtoh(host.pointer, dev, 4));
        assert_eq!(host.read(), seen);

        // …and before what they queue next.
        let rig = lazy();
        let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(flags));
        ok!(rig, memset_d8(dev, 7, 4));
        ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
        ok!(rig, stream_synchronize(stream));
        assert_eq!(host.read(), seen);
    }
}

#[test]
fn a_wait_for_the_legacy_stream_waits_for_blocking_streams() {
    let rig = lazy();
    let (dev, host) = (rig.alloc(4), rig.locked(4));
    for (flags, seen) in [(NON_BLOCKING, POISON), (0, 5)] {
        let stream = rig.stream(flags);
        ok!(rig, memset_d8_async(dev, 5, 4, stream));
        ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
        let pending = if flags == 0 { Status::NOT_READY } else { Status::SUCCESS };
        assert_eq!(call!(rig, stream_query(core::ptr::null_mut())), pending);
        ok!(rig, stream_synchronize(core::ptr::without_provenance_mut(1)));
        assert_eq!(host.read(), [seen; 4]);
        ok!(rig, stream_synchronize(stream));
    }
}

#[test]
fn a_destroyed_blocking_stream_stays_in_legacy_order() {
    let rig = lazy();
    let (dev, stream) = (rig.alloc(4), rig.stream(0));
    ok!(rig, memset_d8_async(dev, 3, 4, stream));
    ok!(rig, stream_destroy(stream));
    assert_eq!(call!(rig, stream_synchronize(stream)), Status::INVALID_HANDLE);
    let mut out = [0u8; 4];
    ok!(rig, memcpy_dtoh(out.as_mut_ptr().cast(), dev, 4));
    assert_eq!(out, [3; 4]);
}

#[test]
fn a_destroyed_stream_loses_no_work() {
    let rig = lazy();
    let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(NON_BLOCKING));
    ok!(rig, memset_d8_async(dev, 3, 4, stream));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    ok!(rig, stream_destroy(stream));
    assert_eq!(host.read(), [POISON; 4]);
    ok!(rig, context_synchronize());
    assert_eq!(host.read(), [3; 4]);
}

#[test]
fn a_synchronous_upload_from_pageable_memory_returns_with_the_transfer_pending() {
    let rig = lazy();
    let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(NON_BLOCKING));
    assert_eq!(rig.upload(dev, &[1, 2, 3, 4]), Status::SUCCESS);
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(host.read(), [POISON; 4], "a non-blocking stream races with it");
    assert_eq!(rig.bytes(dev, 4), [1, 2, 3, 4]);
}

#[test]
fn synchronous_forms_that_wait() {
    let rig = lazy();
    let (dev, other, host, stream) = (rig.alloc(4), rig.alloc(4), rig.locked(4), rig.stream(NON_BLOCKING));
    // From page-locked memory the upload waits: a non-blocking stream sees it.
    host.write(&[1, 2, 3, 4]);
    ok!(rig, memcpy_htod(dev, host.pointer, 4));
    host.write(&[0; 4]);
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(host.read(), [1, 2, 3, 4]);
    // Between device memories, and a fill, it does not.
    ok!(rig, memcpy_dtod(other, dev, 4));
    ok!(rig, memset_d8(dev, 9, 4));
    ok!(rig, memcpy_dtoh_async(host.pointer, other, 4, stream));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(host.read(), [POISON; 4]);
    // A fill of memory that the host sees does.
    let host_address = host.pointer.addr() as u64;
    ok!(rig, memset_d8(host_address, 6, 4));
    assert_eq!(host.read(), [6; 4]);
}

#[test]
fn sources_are_read_when_the_rules_say() {
    let rig = lazy();
    let (dev, host, stream) = (rig.alloc(8), rig.locked(4), rig.stream(NON_BLOCKING));
    // Pageable: at issue, so that the program may free it.
    let mut pageable = vec![1u8, 2, 3, 4];
    ok!(rig, memcpy_htod_async(dev, pageable.as_ptr().cast(), 4, stream));
    pageable.fill(0);
    drop(pageable);
    // Page-locked: when it runs.
    host.write(&[5; 4]);
    ok!(rig, memcpy_htod_async(dev + 4, host.pointer, 4, stream));
    host.write(&[6; 4]);
    assert_eq!(rig.bytes(dev, 8), [1, 2, 3, 4, 6, 6, 6, 6]);
}

#[test]
fn a_download_into_pageable_memory_runs_at_issue_with_all_before_it() {
    let rig = lazy();
    let (dev, stream) = (rig.alloc(4), rig.stream(NON_BLOCKING));
    ok!(rig, memset_d8_async(dev, 8, 4, stream));
    let mut out = vec![0u8; 4];
    ok!(rig, memcpy_dtoh_async(out.as_mut_ptr().cast(), dev, 4, stream));
    assert_eq!(out, [8; 4]);
}

#[test]
fn a_queued_source_is_not_poisoned() {
    let rig = lazy();
    let (dev, other, host, stream) = (rig.alloc(4), rig.alloc(4), rig.locked(4), rig.stream(NON_BLOCKING));
    ok!(rig, memset_d8_async(other, 1, 4, stream));
    host.write(&[2; 4]);
    ok!(rig, memcpy_htod_async(dev, host.pointer, 4, stream));
    ok!(rig, memcpy_dtoh_async(host.pointer, other, 4, stream));
    assert_eq!(rig.bytes(dev, 4), [2; 4]);
    assert_eq!(host.read(), [1; 4]);
}

#[test]
fn polling_loops_end() {
    let rig = lazy();
    let (dev, host, stream, event) = (rig.alloc(4), rig.locked(4), rig.stream(NON_BLOCKING), rig.event());
    let ends = |poll: &dyn Fn() -> Status| (0..10).map(|_| poll()).position(Status::is_success);
    ok!(rig, memset_d8_async(dev, 1, 4, stream));
    assert!(ends(&|| call!(rig, stream_query(stream))).is_some_and(|polls| polls > 0));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    ok!(rig, event_record(event, stream));
    assert!(ends(&|| call!(rig, event_query(event))).is_some_and(|polls| polls > 0));
    assert_eq!(host.read(), [1; 4]);
}

#[test]
fn freeing_host_memory_runs_what_is_queued_on_it() {
    let rig = lazy();
    let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(NON_BLOCKING));
    host.write(&[4; 4]);
    ok!(rig, memcpy_htod_async(dev, host.pointer, 4, stream));
    ok!(rig, mem_free_host(host.pointer));
    assert_eq!(rig.bytes(dev, 4), [4; 4]);

    let mut registered = vec![0u8; 4];
    let pointer = registered.as_mut_ptr();
    ok!(rig, mem_host_register(pointer.cast(), 4, 0));
    ok!(rig, memcpy_dtoh_async(pointer.cast(), dev, 4, stream));
    ok!(rig, mem_host_unregister(pointer.cast()));
    assert_eq!(registered, [4; 4]);
}

#[test]
fn freeing_device_memory_runs_what_is_queued_on_it() {
    let rig = lazy();
    let (dev, host, stream) = (rig.alloc(4), rig.locked(4), rig.stream(NON_BLOCKING));
    ok!(rig, memset_d8_async(dev, 4, 4, stream));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    ok!(rig, mem_free(dev));
    assert_eq!(host.read(), [4; 4]);
}

#[test]
fn events_measure_time() {
    let rig = lazy();
    let (dev, stream, start, end) = (rig.alloc(4), rig.stream(NON_BLOCKING), rig.event(), rig.event());
    ok!(rig, event_record(start, stream));
    ok!(rig, memset_d8_async(dev, 4, 4, stream));
    ok!(rig, event_record(end, stream));
    let mut milliseconds = -1.0f32;
    assert_eq!(call!(rig, event_elapsed_time(&mut milliseconds, start, end)), Status::NOT_READY);
    ok!(rig, event_synchronize(end));
    ok!(rig, event_elapsed_time(&mut milliseconds, start, end));
    assert!((0.0..1e4).contains(&milliseconds), "{milliseconds}");
}

#[test]
fn a_written_value_comes_after_the_copies_before_it() {
    let rig = lazy();
    let (dev, host, ticket, stream) = (rig.alloc(4), rig.locked(4), rig.locked(4), rig.stream(NON_BLOCKING));
    ticket.write(&[0; 4]);
    ok!(rig, memset_d8_async(dev, 4, 4, stream));
    ok!(rig, memcpy_dtoh_async(host.pointer, dev, 4, stream));
    ok!(rig, stream_write_value_32(stream, ticket.pointer.addr() as u64, 0x0102_0304, 0));
    assert_eq!(ticket.read(), [0; 4]);
    ok!(rig, stream_synchronize(stream));
    assert_eq!(ticket.read(), 0x0102_0304u32.to_ne_bytes());
    assert_eq!(host.read(), [4; 4]);
}
