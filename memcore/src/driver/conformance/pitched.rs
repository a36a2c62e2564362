//! Pitched copies, memsets and allocations.

use super::super::ffi::{CUdeviceptr, STREAM_NON_BLOCKING};
use super::super::sim::tests::parts::{Part, copy_2d, copy_3d};
use super::super::sim::tests::rig::{call, ok};
use super::{Alone, program};
use crate::error::Status;

fn filled(program: &Alone, bytes: usize, value: u8) -> CUdeviceptr {
    let address = program.alloc(bytes);
    ok!(program, memset_d8(address, value, bytes));
    ok!(program, context_synchronize());
    address
}

#[test]
fn pitched_allocations() {
    let program = program();
    let (mut address, mut pitch): (CUdeviceptr, usize) = (0, 0);
    for element in [4, 8, 16] {
        ok!(program, mem_alloc_pitch(&raw mut address, &raw mut pitch, 100, 7, element));
        assert!(pitch >= 100 && pitch.is_multiple_of(512), "{pitch}");
        // All of it is there, by the pitch that was given.
        ok!(program, memset_d2d32(address, pitch, 1, pitch / 4, 7));
        ok!(program, context_synchronize());
        ok!(program, mem_free(address));
    }
    for element in [0, 1, 2, 12, 32] {
        let status = call!(program, mem_alloc_pitch(&raw mut address, &raw mut pitch, 100, 7, element));
        assert_eq!(status, Status::INVALID_VALUE, "elements of {element} bytes");
    }
}

#[test]
fn pitches_that_a_row_does_not_fit_in() {
    let program = program();
    let (dev, host) = (filled(&program, 256, 1), vec![2_u8; 256]);
    let (dev_part, host_part) = (Part::device(dev, 16), Part::bytes(&host, 16));
    let refused = |to, from| {
        let copy = copy_2d(to, from, [16, 2]);
        assert_eq!(call!(program, memcpy_2d(&raw const copy)), Status::INVALID_VALUE);
        assert_eq!(call!(program, memcpy_2d_unaligned(&raw const copy)), Status::INVALID_VALUE);
        let copy = copy_3d(to.height(4), from.height(4), [16, 2, 2]);
        assert_eq!(call!(program, memcpy_3d(&raw const copy)), Status::INVALID_VALUE);
    };
    refused(dev_part.pitch(15), host_part);
    refused(dev_part, host_part.pitch(15));
    refused(dev_part.at([1, 0, 0]), host_part);
    refused(dev_part, host_part.at([1, 0, 0]));
    assert_eq!(call!(program, memset_d2d8(dev, 15, 3, 16, 2)), Status::INVALID_VALUE);
    assert_eq!(program.bytes(dev, 256), [1; 256]);
    ok!(program, mem_free(dev));
}

#[test]
fn slices_that_rows_do_not_fit_in() {
    let program = program();
    let (dev, host) = (filled(&program, 256, 1), vec![2_u8; 256]);
    let (dev_part, host_part) = (Part::device(dev, 16).height(4), Part::bytes(&host, 16).height(4));
    for (to, from) in [
        (dev_part.height(3), host_part),
        (dev_part, host_part.height(3)),
        (dev_part.at([0, 1, 0]), host_part),
        (dev_part, host_part.at([0, 1, 0])),
    ] {
        let copy = copy_3d(to, from, [16, 4, 2]);
        assert_eq!(call!(program, memcpy_3d(&raw const copy)), Status::INVALID_VALUE);
    }
    // Of a single slice the height may be 0.
    let copy = copy_3d(dev_part.height(0), host_part.height(0), [16, 4, 1]);
    ok!(program, memcpy_3d(&raw const copy));
    ok!(program, mem_free(dev));
}

#[test]
fn extents_of_nothing() {
    let program = program();
    let (dev, host) = (filled(&program, 256, 1), vec![2_u8; 256]);
    let (to, from) = (Part::device(dev, 16).height(4), Part::bytes(&host, 16).height(4));
    let stream = program.stream(STREAM_NON_BLOCKING);
    for [width, height] in [[0, 4], [16, 0], [0, 0]] {
        let copy = copy_2d(to, from, [width, height]);
        ok!(program, memcpy_2d(&raw const copy));
        ok!(program, memcpy_2d_async(&raw const copy, stream));
        ok!(program, memset_d2d8(dev, 16, 3, width, height));
        ok!(program, memset_d2d32_async(dev, 16, 3, width, height, stream));
        let copy = copy_3d(to, from, [width, height, 2]);
        ok!(program, memcpy_3d(&raw const copy));
    }
    let copy = copy_3d(to, from, [16, 4, 0]);
    ok!(program, memcpy_3d_async(&raw const copy, stream));
    ok!(program, stream_synchronize(stream));
    assert_eq!(program.bytes(dev, 256), [1; 256]);
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(dev));
}

#[test]
fn offsets_are_kept_and_the_rest_is_left() {
    let program = program();
    let dev = filled(&program, 64, 9);
    let host: Vec<u8> = (0..64).collect();
    // Two rows of three bytes, from column 4 of row 1 to column 2 of row 3.
    let copy = copy_2d(Part::device(dev, 16).at([2, 2, 0]), Part::bytes(&host, 16).at([4, 1, 0]), [3, 2]);
    ok!(program, memcpy_2d(&raw const copy));
    let mut expected = [9; 64];
    expected[34..37].copy_from_slice(&[20, 21, 22]);
    expected[50..53].copy_from_slice(&[36, 37, 38]);
    assert_eq!(program.bytes(dev, 64), expected);
    // Back, by two slices of a row each.
    let mut back = [0_u8; 24];
    let from = Part::device(dev, 16).height(1).at([2, 0, 2]);
    let copy = copy_3d(Part::host(back.as_mut_ptr().cast(), 8).height(1).at([1, 0, 1]), from, [3, 1, 2]);
    ok!(program, memcpy_3d(&raw const copy));
    let mut expected = [0; 24];
    expected[9..12].copy_from_slice(&[20, 21, 22]);
    expected[17..20].copy_from_slice(&[36, 37, 38]);
    assert_eq!(back, expected);
    ok!(program, mem_free(dev));
}

#[test]
fn memsets_of_rows() {
    let program = program();
    let dev = filled(&program, 64, 9);
    assert_eq!(call!(program, memset_d2d16(dev + 1, 16, 1, 2, 2)), Status::INVALID_VALUE);
    assert_eq!(call!(program, memset_d2d32(dev + 2, 16, 1, 2, 2)), Status::INVALID_VALUE);
    ok!(program, memset_d2d8(dev + 1, 16, 1, 2, 2));
    ok!(program, memset_d2d16(dev + 4, 16, 0x0302, 2, 2));
    ok!(program, memset_d2d32(dev + 32, 16, 0x0706_0504, 2, 2));
    let mut expected = [9; 64];
    for row in [0, 16] {
        expected[row + 1..row + 3].fill(1);
        expected[row + 4..row + 8].copy_from_slice(&[2, 3, 2, 3]);
        expected[row + 32..row + 40].copy_from_slice(&[4, 5, 6, 7, 4, 5, 6, 7]);
    }
    assert_eq!(program.bytes(dev, 64), expected);
    // Of one row the pitch is not used.
    ok!(program, memset_d2d8(dev, 0, 1, 64, 1));
    assert_eq!(program.bytes(dev, 64), [1; 64]);
    ok!(program, mem_free(dev));
}

#[test]
fn memory_types_of_pitched_copies() {
    let program = program();
    let (dev, locked, host) = (filled(&program, 64, 9), program.locked(64), vec![2_u8; 64]);
    let to = Part::device(dev, 16);
    // Unified addresses say themselves what they are.
    for (to, from) in [
        (to, Part::unified(locked.pointer.addr() as u64, 16)),
        (to, Part::unified(dev + 32, 16)),
        (Part::unified(dev, 16), Part::bytes(&host, 16)),
    ] {
        let copy = copy_2d(to, from, [8, 2]);
        ok!(program, memcpy_2d(&raw const copy));
        ok!(program, context_synchronize());
    }
    assert_eq!(program.bytes(dev, 64), [[2; 8], [9; 8], [2; 8], [9; 8], [9; 8], [9; 8], [9; 8], [9; 8]].concat());
    for memory_type in [0, 5] {
        let copy = copy_2d(to.memory_type(memory_type), Part::bytes(&host, 16), [8, 2]);
        assert_eq!(call!(program, memcpy_2d(&raw const copy)), Status::INVALID_VALUE);
    }
    ok!(program, mem_free(dev));
    ok!(program, mem_free_host(locked.pointer));
}

#[test]
fn unified_addresses_of_pageable_memory() {
    let program = program();
    let (dev, mut host) = (filled(&program, 64, 9), vec![2_u8; 64]);
    let of_host = Part::unified(host.as_mut_ptr().expose_provenance() as u64, 16);
    let copy = copy_2d(Part::device(dev, 16), of_host, [8, 2]);
    ok!(program, memcpy_2d(&raw const copy));
    let copy = copy_2d(of_host.at([8, 0, 0]), Part::device(dev + 32, 16), [8, 2]);
    ok!(program, memcpy_2d(&raw const copy));
    assert_eq!(host[..32], [[2; 8], [9; 8], [2; 8], [9; 8]].concat());
    ok!(program, mem_free(dev));
}
