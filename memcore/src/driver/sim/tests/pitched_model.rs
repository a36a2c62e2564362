//! Random pitched copies and memsets, of arrays too, against plain vectors: every order gives the same bytes.

use core::ops::Range;
use core::ptr;

use super::super::{Order, SimOptions};
use super::parts::{Part, copy_2d, copy_3d};
use super::rig::{Rig, ok};
use crate::driver::ffi::{ARRAY_FORMAT_F16, ARRAY_LAYERED, CUDA_ARRAY3D_DESCRIPTOR, CUarray, CUstream};

/// What a copy at most takes: bytes of a row, rows, slices.
const MOST: [usize; 3] = [12, 5, 3];

/// Memory with rows of its own distance, and the bytes that it must have.
struct Pitched {
    part: Part,
    unified: Part,
    address: u64,
    pitch: usize,
    height: usize,
    model: Vec<u8>,
}

impl Pitched {
    fn new(part: Part, address: u64, pitch: usize, height: usize) -> Self {
        let model = vec![0; pitch * height * MOST[2]];
        let part = part.pitch(pitch).height(height);
        Self { part, unified: Part::unified(address, pitch).height(height), address, pitch, height, model }
    }

    /// An array of zeros, of pairs of half-precision numbers.
    fn array(rig: &Rig, pitch: usize, height: usize, flags: u32) -> (CUarray, Self) {
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
            width: pitch / 4,
            height,
            depth: MOST[2],
            format: ARRAY_FORMAT_F16,
            channels: 2,
            flags,
        };
        let mut array = ptr::null_mut();
        ok!(rig, array_create_3d(&mut array, &descriptor));
        let pitched = Self::new(Part::array(array), 0, pitch, height);
        let zeros = Part::bytes(&pitched.model, pitch).height(height);
        ok!(rig, memcpy_3d(&copy_3d(pitched.part, zeros, [pitch, height, MOST[2]])));
        (array, Self { unified: pitched.part, ..pitched })
    }

    /// Where a row begins.
    fn at(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.height + y) * self.pitch + x
    }

    /// The bytes of each row of a box.
    fn rows(&self, begin: [usize; 3], [width, height, depth]: [usize; 3]) -> Vec<Range<usize>> {
        let [x, y, z] = begin;
        let starts = (z..z + depth).flat_map(|z| (y..y + height).map(move |y| [x, y, z]));
        starts.map(|begin| self.at(begin)..self.at(begin) + width).collect()
    }
}

/// Sets the rows of a slice.
fn set(rig: &Rig, stream: Option<CUstream>, on: &mut Pitched, begin: [usize; 3], shape: [usize; 3], value: u32) {
    let [x, y, z] = begin;
    let unit = [1, 2, 4][value as usize % 3];
    let begin = [x / unit * unit, y, z];
    let (count, height) = ((shape[0] / unit).max(1), shape[1]);
    let (dst, pitch, bytes) = (on.address + on.at(begin) as u64, on.pitch, value.to_ne_bytes());
    let half = u16::from_ne_bytes([bytes[0], bytes[1]]);
    match (unit, stream) {
        (1, None) => ok!(rig, memset_d2d8(dst, pitch, bytes[0], count, height)),
        (2, None) => ok!(rig, memset_d2d16(dst, pitch, half, count, height)),
        (_, None) => ok!(rig, memset_d2d32(dst, pitch, value, count, height)),
        (1, Some(stream)) => ok!(rig, memset_d2d8_async(dst, pitch, bytes[0], count, height, stream)),
        (2, Some(stream)) => ok!(rig, memset_d2d16_async(dst, pitch, half, count, height, stream)),
        (_, Some(stream)) => ok!(rig, memset_d2d32_async(dst, pitch, value, count, height, stream)),
    }
    for row in on.rows(begin, [count * unit, height, 1]) {
        on.model[row].copy_from_slice(&bytes[..unit].repeat(count));
    }
}

/// Copies by whichever call can.
fn copy(rig: &Rig, stream: Option<CUstream>, to: Part, from: Part, shape: [usize; 3], is_2d: bool) {
    let (in_2d, in_3d) = (copy_2d(to, from, [shape[0], shape[1]]), copy_3d(to, from, shape));
    match (is_2d, stream) {
        (true, None) => ok!(rig, memcpy_2d(&in_2d)),
        (true, Some(stream)) => ok!(rig, memcpy_2d_async(&in_2d, stream)),
        (false, None) => ok!(rig, memcpy_3d(&in_3d)),
        (false, Some(stream)) => ok!(rig, memcpy_3d_async(&in_3d, stream)),
    }
}

/// A random program on one blocking stream and the legacy stream, which are in order.
fn run(seed: u64, options: SimOptions) {
    const LEN: usize = 20 * 7 * MOST[2];
    const PAGEABLE: usize = 3;

    let mut random = fastrand::Rng::with_seed(seed);
    let rig = Rig::new(options);
    let blocking = rig.stream(0);
    let (a, b, locked, mut own) = (rig.alloc(LEN), rig.alloc(LEN), rig.locked(LEN), vec![0_u8; LEN]);
    for device in [a, b] {
        ok!(rig, memset_d8(device, 0, LEN));
    }
    locked.write(&[0; LEN]);
    let own_pointer = own.as_mut_ptr();
    let (volume, of_volume) = Pitched::array(&rig, 12, 5, 0);
    let (layers, of_layers) = Pitched::array(&rig, 16, 6, ARRAY_LAYERED);
    let mut all = [
        Pitched::new(Part::device(a, 0), a, 12, 5),
        Pitched::new(Part::device(b, 0), b, 20, 7),
        Pitched::new(Part::host(locked.pointer, 0), locked.pointer.addr() as u64, 16, 5),
        Pitched::new(Part::host(own_pointer.cast(), 0), own_pointer.expose_provenance() as u64, 13, 6),
        of_volume,
        of_layers,
    ];
    for _ in 0..=seed / 8 {
        let shape = MOST.map(|most| random.usize(1..=most));
        let mut begin = || core::array::from_fn(|axis| random.usize(..=MOST[axis] - shape[axis]));
        let (to_begin, from_begin): ([usize; 3], [usize; 3]) = (begin(), begin());
        let (to, from) = (random.usize(..6), random.usize(..6));
        let stream = random.bool().then_some(blocking);
        if to == from || random.u32(..3) == 0 {
            set(&rig, stream, &mut all[to % 2], to_begin, shape, random.u32(..));
            continue;
        }
        let side = |of: &Pitched, begin, unified| if unified { of.unified.at(begin) } else { of.part.at(begin) };
        let (target, source) = (side(&all[to], to_begin, random.bool()), side(&all[from], from_begin, random.bool()));
        let is_2d = shape[2] == 1 && to_begin[2] == 0 && from_begin[2] == 0;
        copy(&rig, stream, target, source, shape, is_2d);
        let bytes: Vec<_> =
            all[from].rows(from_begin, shape).into_iter().map(|row| all[from].model[row].to_vec()).collect();
        for (row, bytes) in all[to].rows(to_begin, shape).into_iter().zip(bytes) {
            all[to].model[row].copy_from_slice(&bytes);
        }
        if [to, from].contains(&PAGEABLE) {
            // When pageable memory is read and written is the driver's affair.
            ok!(rig, context_synchronize());
        }
    }
    ok!(rig, context_synchronize());
    for (device, pitched) in [a, b].into_iter().zip(&all) {
        assert_eq!(rig.bytes(device, pitched.model.len()), pitched.model);
        ok!(rig, mem_free(device));
    }
    for (array, pitched) in [volume, layers].into_iter().zip(&all[4..]) {
        let mut back = vec![0; pitched.model.len()];
        let to = Part::host(back.as_mut_ptr().cast(), pitched.pitch).height(pitched.height);
        ok!(rig, memcpy_3d(&copy_3d(to, pitched.part, [pitched.pitch, pitched.height, MOST[2]])));
        assert_eq!(back, pitched.model);
        ok!(rig, array_destroy(array));
    }
    assert_eq!(locked.read()[..all[2].model.len()], all[2].model);
    assert_eq!(own[..all[PAGEABLE].model.len()], all[PAGEABLE].model);
    ok!(rig, mem_free_host(locked.pointer));
    let violations = rig.check();
    assert!(violations.is_empty(), "{}", violations[0]);
}

#[test]
fn every_shape_and_order_gives_the_bytes_of_a_plain_model() {
    // Short programs first, so that the first one to fail is a small one.
    for seed in 0..240 {
        for order in [Order::Lazy, Order::Eager, Order::Random(seed)] {
            for options in [SimOptions::default().order(order), SimOptions::default().order(order).late_pageable()] {
                let name = format!("{options:?}");
                let right = std::panic::catch_unwind(|| run(seed, options)).is_ok();
                assert!(right, "seed {seed} goes wrong with {name}");
            }
        }
    }
}
