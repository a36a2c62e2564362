//! Managed memory: whose it is, where its pages are to be, and what is said of that.

use core::ptr;

use super::super::ffi::{CUdeviceptr, STREAM_NON_BLOCKING};
use super::super::sim::tests::rig::{call, ok};
use super::{Alone, program};
use crate::error::Status;

const MIB: usize = 1 << 20;

#[test]
fn allocations_of_every_flag() {
    let program = program();
    let mut address = 0;
    for flags in [1, 2] {
        ok!(program, mem_alloc_managed(&raw mut address, 8192, flags));
        // The device may use it all the same: it has concurrent access.
        ok!(program, memset_d8(address, 1, 8192));
        ok!(program, context_synchronize());
        ok!(program, mem_free(address));
    }
    assert_eq!(call!(program, mem_alloc_managed(&raw mut address, 8192, 4)), Status::INVALID_VALUE);
}

#[test]
fn attaching_to_streams() {
    let program = program();
    let (managed, stream) = (program.managed(2 * MIB), program.stream(STREAM_NON_BLOCKING));
    let attach = |stream, address: CUdeviceptr, bytes: usize, flags: u32| {
        let status = call!(program, stream_attach_memory(stream, address, bytes, flags));
        ok!(program, stream_synchronize(stream));
        status
    };
    for flags in [1, 2, 4] {
        assert_eq!(attach(stream, managed, 0, flags), Status::SUCCESS);
        assert_eq!(attach(stream, managed, 2 * MIB, flags), Status::SUCCESS);
    }
    // All of it, by its start.
    for (offset, bytes) in [(0, 4096), (0, 4 * MIB), (4096, 0), (4096, 2 * MIB - 4096)] {
        assert_eq!(attach(stream, managed + offset, bytes, 1), Status::INVALID_VALUE, "{bytes} bytes at {offset}");
    }
    // The null stream is no single one; by its other name, and that of the thread's, it is.
    assert_eq!(attach(ptr::null_mut(), managed, 0, 4), Status::INVALID_VALUE);
    assert_eq!(attach(ptr::null_mut(), managed, 0, 1), Status::SUCCESS);
    assert_eq!(attach(ptr::without_provenance_mut(1), managed, 0, 4), Status::SUCCESS);
    assert_eq!(attach(ptr::without_provenance_mut(2), managed, 0, 4), Status::SUCCESS);
    let (address, locked, pageable) = (program.alloc(8192), program.locked(8192), vec![0_u8; 8192]);
    let others = [address, locked.pointer.addr() as u64, pageable.as_ptr().addr() as u64, 0];
    for other in others {
        assert_eq!(attach(stream, other, 0, 4), Status::INVALID_VALUE);
    }
    assert_eq!(attach(stream, pageable.as_ptr().addr() as u64, 8192, 4), Status::INVALID_VALUE);
    // Destroyed, the stream has it no more.
    assert_eq!(attach(stream, managed, 0, 4), Status::SUCCESS);
    ok!(program, stream_destroy(stream));
    ok!(program, memset_d8(managed, 1, 64));
    ok!(program, context_synchronize());
    ok!(program, mem_free(managed));
    let stream = program.stream(STREAM_NON_BLOCKING);
    assert_eq!(attach(stream, managed, 0, 1), Status::INVALID_VALUE);
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(address));
    ok!(program, mem_free_host(locked.pointer));
}

#[test]
fn attaching_in_a_capture() {
    let program = program();
    let (managed, stream, mut graph) = (program.managed(4096), program.stream(STREAM_NON_BLOCKING), ptr::null_mut());
    ok!(program, stream_begin_capture(stream, 2));
    let status = call!(program, stream_attach_memory(stream, managed, 0, 1));
    assert_eq!(status, Status::STREAM_CAPTURE_UNSUPPORTED);
    let status = call!(program, stream_end_capture(stream, &raw mut graph));
    assert_eq!(status, Status::STREAM_CAPTURE_INVALIDATED);
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(managed));
}

/// What prefetching and each advice answer: places that there are not come after what is no memory at all, and before what
/// is not managed.
#[test]
fn advice_about_what_and_where() {
    let program = program();
    let (managed, stream) = (program.managed(2 * MIB), program.stream(STREAM_NON_BLOCKING));
    let (address, locked, pageable) = (program.alloc(8192), program.locked(8192), vec![0_u8; 8192]);
    let (fine, invalid, no_device) = (Status::SUCCESS, Status::INVALID_VALUE, Status::INVALID_DEVICE);
    let ask = |address: CUdeviceptr, bytes: usize, expected: Status, nowhere: Status| {
        for place in [0, -1, -2, 99] {
            let expected_there = if place < -1 || place == 99 { nowhere } else { expected };
            let status = call!(program, mem_prefetch(address, bytes, place, stream));
            assert_eq!(status, expected_there, "prefetch of {bytes} bytes to {place}");
            for advice in [0, 7, 8] {
                assert_eq!(call!(program, mem_advise(address, bytes, advice, place)), invalid, "{advice}");
            }
            for advice in [1, 2, 4] {
                assert_eq!(call!(program, mem_advise(address, bytes, advice, place)), expected, "{advice}");
            }
            for advice in [3, 5, 6] {
                assert_eq!(call!(program, mem_advise(address, bytes, advice, place)), expected_there, "{advice}");
            }
        }
        ok!(program, stream_synchronize(stream));
    };
    ask(managed, 2 * MIB, fine, no_device);
    ask(managed + 100, 4096, fine, no_device);
    ask(managed, 4 * MIB, invalid, no_device);
    ask(managed, 0, invalid, invalid);
    ask(0, 8192, invalid, invalid);
    for other in [address, locked.pointer.addr() as u64, pageable.as_ptr().addr() as u64] {
        ask(other, 8192, invalid, no_device);
    }
    ok!(program, mem_free(managed));
    assert_eq!(call!(program, mem_prefetch(managed, 4096, 0, stream)), invalid);
    assert_eq!(call!(program, mem_advise(managed, 4096, 1, 0)), invalid);
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(address));
    ok!(program, mem_free_host(locked.pointer));
}

/// What the driver says of a range: read mostly, preferred location, accessed by, last prefetch.
fn said(program: &Alone, address: CUdeviceptr, bytes: usize) -> (i32, i32, [i32; 3], i32) {
    let ask = |attribute: u32, values: &mut [i32]| {
        let (out, size) = (values.as_mut_ptr().cast(), size_of_val(values));
        ok!(program, mem_range_attribute(out, size, attribute, address, bytes));
    };
    let (mut mostly, mut preferred, mut accessed, mut last) = ([77], [77], [77; 3], [77]);
    ask(1, &mut mostly);
    ask(2, &mut preferred);
    ask(3, &mut accessed);
    ask(4, &mut last);
    (mostly[0], preferred[0], accessed, last[0])
}

#[test]
fn what_is_said_of_pages() {
    let program = program();
    let (managed, stream) = (program.managed(4 * MIB), program.stream(STREAM_NON_BLOCKING));
    let advise = |offset: u64, bytes: usize, advice: u32, place: i32| {
        ok!(program, mem_advise(managed + offset, bytes, advice, place));
    };
    let nothing = (0, -2, [-2; 3], -2);
    assert_eq!(said(&program, managed, 4 * MIB), nothing);
    advise(0, 4 * MIB, 1, 0);
    advise(0, 4 * MIB, 3, -1);
    advise(0, 4 * MIB, 5, 0);
    assert_eq!(said(&program, managed, 4 * MIB), (1, -1, [0, -2, -2], -2));
    advise(0, 4 * MIB, 5, -1);
    assert_eq!(said(&program, managed, 4 * MIB), (1, -1, [0, -1, -2], -2));
    advise(0, 4 * MIB, 6, 0);
    assert_eq!(said(&program, managed, 4 * MIB), (1, -1, [-1, -2, -2], -2));
    // The halves differ: of all together nothing is said.
    let half = 2 * MIB as u64;
    advise(half, 2 * MIB, 2, 0);
    advise(half, 2 * MIB, 3, 0);
    advise(half, 2 * MIB, 6, -1);
    assert_eq!(said(&program, managed, 4 * MIB), nothing);
    assert_eq!(said(&program, managed, 2 * MIB), (1, -1, [-1, -2, -2], -2));
    assert_eq!(said(&program, managed + half, 2 * MIB), (0, 0, [-2; 3], -2));
    // Bytes stand for their pages.
    assert_eq!(said(&program, managed + 5, 1), (1, -1, [-1, -2, -2], -2));
    advise(5000, 10, 2, 0);
    assert_eq!(said(&program, managed + 4096, 4096).0, 0);
    assert_eq!(said(&program, managed + 5000, 10).0, 0);
    assert_eq!((said(&program, managed, 4096).0, said(&program, managed + 8192, 4096).0), (1, 1));
    advise(0, 4 * MIB, 2, 0);
    advise(0, 4 * MIB, 4, 0);
    advise(0, 4 * MIB, 6, -1);
    assert_eq!(said(&program, managed, 4 * MIB), nothing);
    // It is said once it was asked for.
    ok!(program, mem_prefetch(managed, 4 * MIB, 0, stream));
    assert_eq!(said(&program, managed, 4 * MIB).3, 0);
    ok!(program, mem_prefetch(managed, 2 * MIB, -1, stream));
    assert_eq!((said(&program, managed, 4 * MIB).3, said(&program, managed, 2 * MIB).3), (-2, -1));
    ok!(program, stream_synchronize(stream));
    assert_eq!(said(&program, managed, 2 * MIB).3, -1);
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(managed));
}

#[test]
fn questions_that_are_refused() {
    let program = program();
    let (managed, address, locked) = (program.managed(2 * MIB), program.alloc(8192), program.locked(8192));
    let pageable = vec![0_u8; 8192];
    let mut values = [77_i32; 8];
    let out = values.as_mut_ptr().cast();
    for (attribute, size) in [(0, 4), (1, 0), (1, 2), (1, 8), (2, 8), (3, 0), (4, 8), (9, 4)] {
        let status = call!(program, mem_range_attribute(out, size, attribute, managed, 8192));
        assert_eq!(status, Status::INVALID_VALUE, "attribute {attribute} of {size} bytes");
    }
    let others = [address, locked.pointer.addr() as u64, pageable.as_ptr().addr() as u64, 0];
    for (address, bytes) in others.map(|other| (other, 4096)).into_iter().chain([(managed, 0), (managed, 4 * MIB)]) {
        for attribute in 1..5 {
            let status = call!(program, mem_range_attribute(out, 4, attribute, address, bytes));
            assert_eq!(status, Status::INVALID_VALUE, "attribute {attribute} of {bytes} bytes at {address:#x}");
        }
    }
    assert_eq!(values, [77; 8]);
    ok!(program, mem_range_attribute(values.as_mut_ptr().cast(), 8, 3, managed, 8192));
    assert_eq!(values, [-2, -2, 77, 77, 77, 77, 77, 77]);
    ok!(program, mem_free(managed));
    ok!(program, mem_free(address));
    ok!(program, mem_free_host(locked.pointer));
}
