//! Pitched copies, memsets and allocations.

use core::ptr;

use super::super::backing::POISON;
use super::super::{SimOptions, ViolationKind};
use super::parts::{Part, copy_2d, copy_3d};
use super::rig::{Rig, call, ok};
use crate::error::Status;

fn rig() -> Rig {
    Rig::new(SimOptions::default())
}

#[test]
fn pitched_allocations() {
    let rig = rig();
    let (mut address, mut pitch) = (0, 0);
    for (width, height, element) in [(0, 4, 4), (4, 0, 4), (64, 4, 0), (64, 4, 1), (64, 4, 2), (64, 4, 12), (64, 4, 32)]
    {
        let status = call!(rig, mem_alloc_pitch(&mut address, &mut pitch, width, height, element));
        assert_eq!(status, Status::INVALID_VALUE, "{width} {height} {element}");
    }
    assert_eq!(call!(rig, mem_alloc_pitch(&mut address, ptr::null_mut(), 4, 4, 4)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, mem_alloc_pitch(ptr::null_mut(), &mut pitch, 4, 4, 4)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, mem_alloc_pitch(&mut address, &mut pitch, 4, 1 << 40, 4)), Status::OUT_OF_MEMORY);
    assert_eq!(call!(rig, mem_alloc_pitch(&mut address, &mut pitch, 4, usize::MAX, 4)), Status::OUT_OF_MEMORY);
    assert_eq!(call!(rig, mem_alloc_pitch(&mut address, &mut pitch, usize::MAX, 1, 4)), Status::INVALID_VALUE);
    assert_eq!((address, pitch), (0, 0));
    for (width, expected, element) in [(1, 512, 4), (512, 512, 8), (513, 1024, 16)] {
        ok!(rig, mem_alloc_pitch(&mut address, &mut pitch, width, 3, element));
        assert_eq!(pitch, expected);
        let (mut base, mut size) = (0, 0);
        ok!(rig, mem_address_range(&mut base, &mut size, address));
        assert_eq!((base, size), (address, 3 * expected));
        ok!(rig, mem_free(address));
    }
    assert!(rig.kinds().is_empty());
}

#[test]
fn copy_edges() {
    let rig = rig();
    let (dev, host) = (Part::device(rig.alloc(64), 8), vec![7_u8; 64]);
    let host = Part::bytes(&host, 8);
    let try_2d = |to, from, shape| call!(rig, memcpy_2d(&copy_2d(to, from, shape)));
    let try_3d = |to, from, shape| call!(rig, memcpy_3d(&copy_3d(to, from, shape)));
    // The last byte of the last row; rows without a gap; nothing.
    ok!(rig, memcpy_2d(&copy_2d(dev.at([4, 6, 0]), host.at([4, 6, 0]), [4, 2])));
    ok!(rig, memcpy_2d_unaligned(&copy_2d(dev, host, [8, 8])));
    ok!(rig, memcpy_3d(&copy_3d(dev.height(4), host.height(4), [8, 4, 2])));
    // Of a single slice the height may be 0.
    ok!(rig, memcpy_3d(&copy_3d(dev, host, [8, 8, 1])));
    for shape in [[0, 8], [8, 0], [0, 0]] {
        assert_eq!(try_2d(dev, host, shape), Status::SUCCESS);
        assert_eq!(try_2d(Part::device(0, 8), Part::bytes(&[], 8), shape), Status::SUCCESS);
    }
    assert_eq!(try_3d(dev.height(4), host.height(4), [8, 4, 0]), Status::SUCCESS);
    for status in [
        call!(rig, memcpy_2d(ptr::null())),
        call!(rig, memcpy_3d(ptr::null())),
        // Pitches that a row does not fit in.
        try_2d(dev.pitch(7), host, [8, 2]),
        try_2d(dev, host.pitch(7), [8, 2]),
        try_2d(dev.at([1, 0, 0]), host, [8, 2]),
        try_2d(dev, host.at([1, 0, 0]), [8, 2]),
        try_2d(dev.pitch(0), host, [8, 1]),
        try_2d(dev, host.pitch(1 << 31), [8, 1]),
        try_2d(dev.at([usize::MAX, 0, 0]), host, [8, 1]),
        try_2d(dev.at([0, usize::MAX, 0]), host, [8, 1]),
        // Heights that the rows do not fit in.
        try_3d(dev.height(3), host.height(4), [8, 4, 2]),
        try_3d(dev.height(4), host.height(3), [8, 4, 2]),
        try_3d(dev, host.height(4), [8, 4, 2]),
        try_3d(dev.height(3), host, [8, 4, 1]),
        try_3d(dev.height(4).at([0, 1, 0]), host.height(4), [8, 4, 1]),
        try_3d(dev.height(4).at([0, 0, usize::MAX]), host.height(4), [8, 4, 1]),
        // Memory of no kind, and none.
        try_2d(dev.memory_type(0), host, [8, 2]),
        try_2d(dev, host.memory_type(5), [8, 2]),
        try_2d(dev, Part::host(ptr::null_mut(), 8), [8, 2]),
        try_2d(Part::device(0, 8).at([0, 1, 0]), host, [8, 2]),
        try_2d(Part::device(0x1000, 8), host, [8, 2]),
    ] {
        assert_eq!(status, Status::INVALID_VALUE);
    }
    // Levels are of arrays.
    let mut leveled = copy_3d(dev, host, [8, 8, 1]);
    leveled.src_lod = 1;
    ok!(rig, memcpy_3d(&leveled));
    assert_eq!(rig.kinds(), [ViolationKind::Leak], "what the driver refuses is no violation of bounds");
}

#[test]
fn memset_edges() {
    let rig = rig();
    let dev = rig.alloc(64);
    for status in [
        call!(rig, memset_d2d8(dev, 7, 1, 8, 2)),
        call!(rig, memset_d2d16(dev, 7, 1, 2, 2)),
        call!(rig, memset_d2d16(dev + 1, 8, 1, 2, 2)),
        call!(rig, memset_d2d32(dev, 10, 1, 2, 2)),
        call!(rig, memset_d2d32(dev + 2, 8, 1, 2, 2)),
        call!(rig, memset_d2d32(dev, 8, 1, usize::MAX, 2)),
        call!(rig, memset_d2d32(dev, 8, 1, 2, usize::MAX)),
        call!(rig, memset_d2d8(0, 8, 1, 8, 2)),
    ] {
        assert_eq!(status, Status::INVALID_VALUE);
    }
    // Of one row the pitch is not used.
    ok!(rig, memset_d2d32(dev, 1, 1, 16, 1));
    ok!(rig, memset_d2d8(dev, 8, 1, 0, 8));
    ok!(rig, memset_d2d8(dev, 8, 1, 8, 0));
    ok!(rig, context_synchronize());
    ok!(rig, mem_free(dev));
    assert!(rig.kinds().is_empty());
}

#[test]
fn a_row_out_of_bounds_is_named() {
    let rig = rig();
    let (dev, host) = (rig.alloc(64), vec![0_u8; 256]);
    let stream = rig.stream(1);
    let copy = copy_2d(Part::device(dev, 16).at([4, 1, 0]), Part::bytes(&host, 16), [8, 4]);
    assert_eq!(call!(rig, memcpy_2d_async(&copy, stream)), Status::INVALID_VALUE);
    let copy = copy_3d(Part::device(dev, 8).height(3), Part::bytes(&host, 16).height(4), [8, 3, 3]);
    assert_eq!(call!(rig, memcpy_3d(&copy)), Status::INVALID_VALUE);
    // Very many rows, which nothing goes through one by one.
    assert_eq!(call!(rig, memset_d2d8(dev, 2, 0, 1, 1 << 50)), Status::INVALID_VALUE);
    let found: Vec<_> = rig.sim.violations().iter().map(ToString::to_string).collect();
    let expected = [
        (
            "2-D memcpy writes 8 bytes in row 3 at byte 68 of allocation #1",
            "op=memcpy_2d alloc=1 offset=68 len=8 stream=1",
        ),
        ("3-D memcpy writes 8 bytes in row 2 of slice 2 at byte 64", "op=memcpy_3d alloc=1 offset=64 len=8 stream=0"),
        ("2-D 8-bit memset writes 1 bytes in row 32 at byte 64", "op=memset_d2d8 alloc=1 offset=64 len=1 stream=0"),
    ];
    assert_eq!(found.len(), expected.len());
    for (report, (summary, facts)) in found.iter().zip(expected) {
        assert!(report.starts_with(&format!("out-of-bounds: {summary}")), "{report}");
        assert!(report.ends_with(&format!("[kind=out_of_bounds {facts}]")), "{report}");
    }
}

#[test]
fn a_call_queues_one_operation() {
    let rig = rig();
    let (dev, locked, stream) = (rig.alloc(4096), rig.locked(4096), rig.stream(1));
    let (on_device, on_host) = (Part::device(dev, 16).height(8), Part::host(locked.pointer, 16).height(8));
    let pending = || rig.sim.driver.lock().graph.all().len();
    ok!(rig, memset_d2d8_async(dev, 16, 1, 8, 64, stream));
    assert_eq!(pending(), 1);
    ok!(rig, memcpy_3d_async(&copy_3d(on_host, on_device, [4, 4, 4]), stream));
    assert_eq!(pending(), 2);
    ok!(rig, stream_synchronize(stream));
    assert_eq!(pending(), 0);
}

#[test]
fn copies_wait_as_those_of_one_run_do() {
    let rig = rig();
    let (a, b, locked, stream) = (rig.alloc(64), rig.alloc(64), rig.locked(64), rig.stream(1));
    let mut own = vec![0_u8; 64];
    let (a, b) = (Part::device(a, 16), Part::device(b, 16));
    let (pinned, pageable) = (Part::host(locked.pointer, 16), Part::host(own.as_mut_ptr().cast(), 16));
    let pending = || rig.sim.driver.lock().graph.all().len();
    for (to, from, is_synchronous, waits) in [
        (a, pageable, true, false),
        (a, b, true, false),
        (a, pinned, true, true),
        (pinned, a, true, true),
        (pageable, a, true, true),
        (pageable, pinned, true, true),
        (a, pageable, false, false),
        (a, b, false, false),
        (a, pinned, false, false),
        (pinned, a, false, false),
        (pinned, pageable, false, true),
        (pageable, pinned, false, true),
        (pageable, pageable, false, true),
    ] {
        let to = to.at([8, 0, 0]);
        if is_synchronous {
            ok!(rig, memcpy_2d(&copy_2d(to, from, [8, 4])));
        } else {
            ok!(rig, memcpy_2d_async(&copy_2d(to, from, [8, 4]), stream));
        }
        assert_eq!(pending() == 0, waits, "{to:?} {from:?} {is_synchronous}");
        ok!(rig, context_synchronize());
    }
    drop(own);
}

#[test]
fn what_lies_between_rows_is_the_program_s() {
    let rig = rig();
    let (dev, locked, stream) = (rig.alloc(64), rig.locked(16), rig.stream(1));
    ok!(rig, memset_d8_async(dev, 5, 64, stream));
    ok!(rig, context_synchronize());
    locked.write(&[1; 16]);
    let copy = copy_2d(Part::host(locked.pointer, 4).at([1, 0, 0]), Part::device(dev, 32), [2, 2]);
    ok!(rig, memcpy_2d_async(&copy, stream));
    let p = POISON;
    assert_eq!(locked.read(), [1, p, p, 1, 1, p, p, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    ok!(rig, stream_synchronize(stream));
    assert_eq!(locked.read(), [1, 5, 5, 1, 1, 5, 5, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
    ok!(rig, mem_free(dev));
    ok!(rig, mem_free_host(locked.pointer));
    assert!(rig.kinds().is_empty());
}

#[test]
fn fresh_memory_between_rows_is_poison() {
    // So large that it gets its poison piece by piece.
    const MIB: usize = 1 << 20;
    let rig = rig();
    let dev = rig.alloc(3 * MIB);
    ok!(rig, memset_d2d8(dev, MIB, 1, 4, 3));
    let bytes = rig.bytes(dev, 3 * MIB);
    for (index, byte) in bytes.iter().enumerate() {
        assert_eq!(*byte, if index % MIB < 4 { 1 } else { POISON }, "{index}");
    }
    ok!(rig, mem_free(dev));
    assert_eq!(rig.kinds(), [ViolationKind::UninitRead]);
}

#[test]
fn interleaved_columns_do_not_race() {
    for (width, races) in [(8, false), (9, true)] {
        let rig = rig();
        let (a, b, first, second) = (rig.alloc(1024), rig.alloc(1024), rig.stream(1), rig.stream(1));
        ok!(rig, memset_d8(b, 1, 1024));
        ok!(rig, context_synchronize());
        ok!(rig, memset_d2d8_async(a, 16, 1, width, 64, first));
        // The gaps of a copy's source are no more its own than those of its destination.
        let copy = copy_2d(Part::device(a, 16).at([8, 0, 0]), Part::device(b, 16), [8, 64]);
        ok!(rig, memcpy_2d_async(&copy, second));
        ok!(rig, memset_d2d8_async(b + 8, 16, 2, 8, 64, first));
        ok!(rig, context_synchronize());
        let expected: Vec<_> = if races { Vec::new() } else { [[1; 8], [1; 8]].concat().repeat(64) };
        assert!(races || rig.bytes(a, 1024) == expected);
        ok!(rig, mem_free(a));
        ok!(rig, mem_free(b));
        let kinds = rig.kinds();
        assert_eq!(kinds, if races { vec![ViolationKind::WriteAfterWrite] } else { Vec::new() });
    }
}

#[test]
fn a_race_is_told_once_whatever_the_rows() {
    let rig = rig();
    let (dev, first, second) = (rig.alloc(1024), rig.stream(1), rig.stream(1));
    ok!(rig, memset_d8_async(dev, 1, 1024, first));
    ok!(rig, memset_d2d8_async(dev + 4, 16, 2, 4, 64, second));
    let report = rig.sim.violations().iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(report.len(), 1, "{report:?}");
    assert!(report[0].contains("writes 4 bytes at byte 4 of"), "{}", report[0]);
}

#[test]
fn rows_between_devices() {
    let rig = Rig::new(SimOptions::default().devices(2));
    let (here, stream) = (rig.alloc(64), rig.stream(1));
    let other = rig.retain(1);
    ok!(rig, context_set_current(other));
    let there = rig.alloc(64);
    ok!(rig, memset_d8_async(here, 5, 64, stream));
    ok!(rig, stream_synchronize(stream));
    let mut copy = copy_3d(Part::device(there, 16), Part::device(here, 16).at([4, 1, 0]), [8, 2, 1]);
    (copy.dst_context, copy.src_context) = (other.cast(), rig.context.cast());
    ok!(rig, memcpy_3d_peer_async(&copy, stream));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(rig.bytes(there, 8), [5; 8]);
    assert_eq!(rig.bytes(there + 16, 8), [5; 8]);
    assert_eq!(call!(rig, memcpy_3d_peer_async(ptr::null(), stream)), Status::INVALID_VALUE);
    copy.src_context = ptr::null_mut();
    assert_eq!(call!(rig, memcpy_3d_peer_async(&copy, stream)), Status::INVALID_CONTEXT);
    copy.src_context = rig.context.cast();
    copy.height = 4;
    assert_eq!(call!(rig, memcpy_3d_peer_async(&copy, stream)), Status::INVALID_VALUE);
    ok!(rig, mem_free(here));
    ok!(rig, mem_free(there));
    assert_eq!(rig.kinds(), [ViolationKind::OutOfBounds]);
}
