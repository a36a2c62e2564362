//! CUDA arrays: which there are, what they say of themselves, and copies from and to them. What a driver may not survive is asked
//! in processes of its own by `scripts/probes/arrays.py`, and of the simulated device alone in its own tests.

use core::ptr;

use super::super::ffi::{
    ARRAY_CUBEMAP, ARRAY_FORMAT_F16, ARRAY_FORMAT_F32, ARRAY_FORMAT_I8, ARRAY_FORMAT_I16, ARRAY_FORMAT_I32,
    ARRAY_FORMAT_U8, ARRAY_FORMAT_U16, ARRAY_FORMAT_U32, ARRAY_LAYERED, ARRAY_SURFACE_LOAD_STORE, ARRAY_TEXTURE_GATHER,
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUarray, STREAM_NON_BLOCKING,
};
use super::super::sim::tests::parts::{Part, copy_2d, copy_3d};
use super::super::sim::tests::rig::{call, ok};
use super::{Alone, program};
use crate::error::Status;

const LAYERED: u32 = ARRAY_LAYERED;
const SURFACE: u32 = ARRAY_SURFACE_LOAD_STORE;
const CUBEMAP: u32 = ARRAY_CUBEMAP;
const GATHER: u32 = ARRAY_TEXTURE_GATHER;
const CUBES: u32 = LAYERED | CUBEMAP;
const FORMATS: [u32; 8] = [
    ARRAY_FORMAT_U8,
    ARRAY_FORMAT_U16,
    ARRAY_FORMAT_U32,
    ARRAY_FORMAT_I8,
    ARRAY_FORMAT_I16,
    ARRAY_FORMAT_I32,
    ARRAY_FORMAT_F16,
    ARRAY_FORMAT_F32,
];

/// Of bytes, one channel.
fn bytes_of([width, height, depth]: [usize; 3], flags: u32) -> CUDA_ARRAY3D_DESCRIPTOR {
    CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format: ARRAY_FORMAT_U8, channels: 1, flags }
}

fn create(program: &Alone, descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Result<CUarray, Status> {
    let mut array = ptr::null_mut();
    match call!(program, array_create_3d(&raw mut array, descriptor)) {
        Status::SUCCESS => Ok(array),
        refused => Err(refused),
    }
}

/// What comes of making an array and destroying it again.
fn make(program: &Alone, descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> Status {
    match create(program, descriptor) {
        Ok(array) => call!(program, array_destroy(array)),
        Err(refused) => refused,
    }
}

/// An array that holds these bytes.
fn holding(program: &Alone, descriptor: &CUDA_ARRAY3D_DESCRIPTOR, bytes: &[u8]) -> CUarray {
    let array = create(program, descriptor).expect("an array");
    let shape = extents(descriptor);
    let copy = copy_3d(Part::array(array), Part::bytes(bytes, shape[0]).height(shape[1]), shape);
    ok!(program, memcpy_3d(&raw const copy));
    array
}

/// All bytes of an array.
fn contents(program: &Alone, descriptor: &CUDA_ARRAY3D_DESCRIPTOR, array: CUarray) -> Vec<u8> {
    let shape = extents(descriptor);
    let mut bytes = vec![0_u8; shape.iter().product()];
    let copy = copy_3d(Part::host(bytes.as_mut_ptr().cast(), shape[0]).height(shape[1]), Part::array(array), shape);
    ok!(program, memcpy_3d(&raw const copy));
    bytes
}

/// Of a copy of all of an array: bytes, rows, slices.
fn extents(descriptor: &CUDA_ARRAY3D_DESCRIPTOR) -> [usize; 3] {
    let channel = match descriptor.format {
        ARRAY_FORMAT_U8 | ARRAY_FORMAT_I8 => 1,
        ARRAY_FORMAT_U16 | ARRAY_FORMAT_I16 | ARRAY_FORMAT_F16 => 2,
        _ => 4,
    };
    let element = channel * descriptor.channels as usize;
    [descriptor.width * element, descriptor.height.max(1), descriptor.depth.max(1)]
}

fn counted(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|byte| (byte % 251) as u8).collect()
}

#[test]
fn formats_and_channels() {
    let program = program();
    for format in [0, 1, 2, 3, 4, 7, 8, 9, 10, 11, 0x10, 0x11, 0x20, 0x21, 0x40, u32::MAX] {
        for channels in [0, 1, 2, 3, 4, 5, 8] {
            let descriptor = CUDA_ARRAY_DESCRIPTOR { width: 16, height: 16, format, channels };
            let mut array = ptr::null_mut();
            let status = call!(program, array_create(&raw mut array, &raw const descriptor));
            let is_right = FORMATS.contains(&format) && [1, 2, 4].contains(&channels);
            assert_eq!(status.is_success(), is_right, "{format:#x}, {channels} channels: {status:?}");
            if is_right {
                ok!(program, array_destroy(array));
            } else {
                assert_eq!(status, Status::INVALID_VALUE);
            }
            let descriptor = CUDA_ARRAY3D_DESCRIPTOR { format, channels, ..bytes_of([16, 16, 16], 0) };
            assert_eq!(make(&program, &descriptor), status);
        }
    }
}

/// Whether an array of such a width, height and depth is made.
type Rule = fn([usize; 3]) -> bool;

#[test]
fn extents_go_with_flags() {
    let program = program();
    let shapes = [
        [0, 0, 0],
        [0, 16, 0],
        [0, 16, 16],
        [16, 0, 0],
        [16, 0, 1],
        [16, 0, 6],
        [16, 1, 0],
        [16, 16, 0],
        [16, 16, 1],
        [16, 16, 5],
        [16, 16, 6],
        [16, 16, 7],
        [16, 8, 6],
        [16, 16, 12],
        [16, 8, 12],
    ];
    // No depth without a height.
    let plain: Rule = |[width, height, depth]| width > 0 && (height > 0 || depth == 0);
    let layered: Rule = |[width, _, depth]| width > 0 && depth > 0;
    let cubemap: Rule = |shape| shape == [16, 16, 6];
    let cubes: Rule = |shape| shape == [16, 16, 6] || shape == [16, 16, 12];
    let gathered: Rule = |[width, height, depth]| width > 0 && height > 0 && depth == 0;
    let none: Rule = |_| false;
    for (flags, is_made) in [
        (0, plain),
        (SURFACE, plain),
        (LAYERED, layered),
        (LAYERED | SURFACE, layered),
        (CUBEMAP, cubemap),
        (CUBEMAP | SURFACE, cubemap),
        (CUBES, cubes),
        (CUBES | SURFACE, cubes),
        (GATHER, gathered),
        (GATHER | SURFACE, gathered),
        (GATHER | LAYERED, none),
        (GATHER | CUBEMAP, none),
        (0x200, none),
    ] {
        for shape in shapes {
            let expected = if is_made(shape) { Status::SUCCESS } else { Status::INVALID_VALUE };
            assert_eq!(make(&program, &bytes_of(shape, flags)), expected, "flags {flags}, {shape:?}");
        }
    }
}

/// The attribute of the device that is the limit, flags, and which shape has an extent of so much.
type Limit = (u32, u32, fn(usize) -> [usize; 3]);

#[test]
fn extents_have_limits() {
    let program = program();
    let limits: [Limit; 23] = [
        (21, 0, |n| [n, 0, 0]),
        (22, 0, |n| [n, 1, 0]),
        (23, 0, |n| [1, n, 0]),
        (24, 0, |n| [n, 1, 1]),
        (25, 0, |n| [1, n, 1]),
        // Deeper than attribute 26 has it, where width and height are those of 47 and 48.
        (49, 0, |n| [1, 1, n]),
        (27, LAYERED, |n| [n, 1, 1]),
        (28, LAYERED, |n| [1, n, 1]),
        (29, LAYERED, |n| [1, 1, n]),
        (42, LAYERED, |n| [n, 0, 1]),
        (43, LAYERED, |n| [1, 0, n]),
        (45, GATHER, |n| [n, 1, 0]),
        (46, GATHER, |n| [1, n, 0]),
        (54, CUBES, |n| [1, 1, n]),
        (55, SURFACE, |n| [n, 0, 0]),
        (56, SURFACE, |n| [n, 1, 0]),
        (57, SURFACE, |n| [1, n, 0]),
        (58, SURFACE, |n| [n, 1, 1]),
        (60, SURFACE, |n| [1, 1, n]),
        (61, LAYERED | SURFACE, |n| [n, 0, 1]),
        (62, LAYERED | SURFACE, |n| [1, 0, n]),
        (65, LAYERED | SURFACE, |n| [1, 1, n]),
        (68, CUBES | SURFACE, |n| [1, 1, n]),
    ];
    for (attribute, flags, shape) in limits {
        let mut limit = 0;
        ok!(program, device_attribute(&raw mut limit, attribute, 0));
        let limit = usize::try_from(limit).expect("a limit");
        assert_eq!(make(&program, &bytes_of(shape(limit), flags)), Status::SUCCESS, "attribute {attribute}");
        // Of cubemaps the next depth that is right for them.
        for past in [limit + 1, limit + 6, usize::MAX] {
            let status = make(&program, &bytes_of(shape(past), flags));
            assert_eq!(status, Status::INVALID_VALUE, "attribute {attribute}, {past}");
        }
    }
    for attribute in [52, 53, 66, 67] {
        let mut limit = 0;
        ok!(program, device_attribute(&raw mut limit, attribute, 0));
        let past = usize::try_from(limit).expect("a limit") + 1;
        let flags = if attribute % 2 == 0 { CUBEMAP } else { CUBES };
        assert_eq!(make(&program, &bytes_of([past, past, 6], flags)), Status::INVALID_VALUE);
    }
    // Within the limits, and more than there is.
    let volume = CUDA_ARRAY3D_DESCRIPTOR { format: ARRAY_FORMAT_F32, channels: 4, ..bytes_of([16_384; 3], 0) };
    assert_eq!(make(&program, &volume), Status::OUT_OF_MEMORY);
}

#[test]
fn descriptors_come_back() {
    let program = program();
    for (extents, format, channels, flags) in [
        ([16, 0, 0], ARRAY_FORMAT_F32, 1, 0),
        ([16, 1, 0], ARRAY_FORMAT_F32, 1, 0),
        ([16, 8, 0], ARRAY_FORMAT_U8, 4, SURFACE),
        ([16, 8, 4], ARRAY_FORMAT_F16, 2, 0),
        ([16, 0, 4], ARRAY_FORMAT_I16, 1, LAYERED),
        ([16, 8, 4], ARRAY_FORMAT_F32, 1, LAYERED | SURFACE),
        ([16, 16, 6], ARRAY_FORMAT_U32, 1, CUBEMAP),
        ([16, 16, 12], ARRAY_FORMAT_I8, 1, CUBES),
        ([16, 8, 0], ARRAY_FORMAT_I32, 1, GATHER),
    ] {
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR { format, channels, ..bytes_of(extents, flags) };
        let array = create(&program, &descriptor).expect("an array");
        let mut whole = CUDA_ARRAY3D_DESCRIPTOR::default();
        ok!(program, array_descriptor_3d(&raw mut whole, array));
        assert_eq!(whole, descriptor);
        let mut flat = CUDA_ARRAY_DESCRIPTOR::default();
        ok!(program, array_descriptor(&raw mut flat, array));
        let [width, height, _] = extents;
        assert_eq!(flat, CUDA_ARRAY_DESCRIPTOR { width, height, format, channels });
        assert_eq!(call!(program, array_descriptor(ptr::null_mut(), array)), Status::INVALID_VALUE);
        assert_eq!(call!(program, array_descriptor_3d(ptr::null_mut(), array)), Status::INVALID_VALUE);
        ok!(program, array_destroy(array));
    }
}

#[test]
fn handles_of_nothing() {
    let program = program();
    let (none, mut array): (CUarray, CUarray) = (ptr::null_mut(), ptr::null_mut());
    let (flat, whole) = (CUDA_ARRAY_DESCRIPTOR::default(), bytes_of([16, 16, 0], 0));
    assert_eq!(call!(program, array_create(ptr::null_mut(), &raw const flat)), Status::INVALID_VALUE);
    assert_eq!(call!(program, array_create_3d(ptr::null_mut(), &raw const whole)), Status::INVALID_VALUE);
    assert_eq!(call!(program, array_create(&raw mut array, ptr::null())), Status::INVALID_VALUE);
    assert_eq!(call!(program, array_create_3d(&raw mut array, ptr::null())), Status::INVALID_VALUE);
    let (mut flat, mut whole) = (flat, whole);
    assert_eq!(call!(program, array_descriptor(&raw mut flat, none)), Status::INVALID_HANDLE);
    assert_eq!(call!(program, array_descriptor_3d(&raw mut whole, none)), Status::INVALID_HANDLE);
    assert_eq!(call!(program, array_destroy(none)), Status::INVALID_HANDLE);
    let host = counted(64);
    for (shape, status) in [([16, 2], Status::INVALID_VALUE), ([0, 2], Status::SUCCESS), ([16, 0], Status::SUCCESS)] {
        let copy = copy_2d(Part::array(none), Part::bytes(&host, 16), shape);
        assert_eq!(call!(program, memcpy_2d(&raw const copy)), status);
    }
}

#[test]
fn what_needs_a_current_context() {
    let program = program();
    let (array, host) = (create(&program, &bytes_of([16, 2, 0], 0)).expect("an array"), counted(64));
    ok!(program, context_set_current(ptr::null_mut()));
    assert_eq!(make(&program, &bytes_of([16, 2, 0], 0)), Status::INVALID_CONTEXT);
    assert_eq!(make(&program, &bytes_of([0, 2, 0], 0)), Status::INVALID_CONTEXT);
    let copy = copy_2d(Part::array(array), Part::bytes(&host, 16), [16, 2]);
    assert_eq!(call!(program, memcpy_2d(&raw const copy)), Status::INVALID_CONTEXT);
    let mut whole = CUDA_ARRAY3D_DESCRIPTOR::default();
    ok!(program, array_descriptor_3d(&raw mut whole, array));
    ok!(program, array_destroy(array));
    ok!(program, context_set_current(program.context));
}

#[test]
fn every_format_goes_there_and_back() {
    let program = program();
    for format in FORMATS {
        for channels in [1, 2, 4] {
            for (extents, flags) in [
                ([7, 0, 0], 0),
                ([7, 5, 0], SURFACE),
                ([7, 5, 0], GATHER),
                ([7, 5, 3], 0),
                ([7, 0, 3], LAYERED),
                ([7, 5, 3], LAYERED),
                ([5, 5, 6], CUBEMAP),
                ([5, 5, 12], CUBES),
            ] {
                let descriptor = CUDA_ARRAY3D_DESCRIPTOR { format, channels, ..bytes_of(extents, flags) };
                let bytes = counted(self::extents(&descriptor).iter().product());
                let array = holding(&program, &descriptor, &bytes);
                assert_eq!(contents(&program, &descriptor, array), bytes, "{descriptor:?}");
                ok!(program, array_destroy(array));
            }
        }
    }
}

#[test]
fn regions_count_in_bytes() {
    let program = program();
    let shape = CUDA_ARRAY3D_DESCRIPTOR { format: ARRAY_FORMAT_F32, ..bytes_of([4, 6, 3], 0) };
    let array = holding(&program, &shape, &[9; 16 * 6 * 3]);
    let host: Vec<u8> = counted(64);
    // Bytes that are no whole elements, of two rows of two slices.
    let copy = copy_3d(Part::array(array).at([5, 2, 1]), Part::bytes(&host, 16).height(2).at([3, 0, 0]), [6, 2, 2]);
    ok!(program, memcpy_3d(&raw const copy));
    let mut expected = vec![9; 16 * 6 * 3];
    for (slice, row) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let (to, from) = (((slice + 1) * 6 + row + 2) * 16 + 5, (slice * 2 + row) * 16 + 3);
        expected[to..to + 6].copy_from_slice(&host[from..from + 6]);
    }
    assert_eq!(contents(&program, &shape, array), expected);
    // A 2-D copy is of the first slice.
    let mut back = [0_u8; 8];
    let copy = copy_2d(Part::host(back.as_mut_ptr().cast(), 4), Part::array(array), [4, 2]);
    ok!(program, memcpy_2d(&raw const copy));
    assert_eq!(back, [9; 8]);
    ok!(program, array_destroy(array));
}

#[test]
fn regions_outside() {
    let program = program();
    let host = counted(4096);
    let stream = program.stream(STREAM_NON_BLOCKING);
    // Each shape with a region that ends where it does.
    for (extents, flags) in [
        ([16, 0, 0], 0),
        ([16, 8, 0], 0),
        ([16, 8, 4], 0),
        ([16, 0, 4], LAYERED),
        ([16, 8, 4], LAYERED),
        ([8, 8, 6], CUBEMAP),
        ([8, 8, 12], CUBES),
    ] {
        let descriptor = bytes_of(extents, flags);
        let array = holding(&program, &descriptor, &host);
        let whole = self::extents(&descriptor);
        let from = Part::bytes(&host, 64).height(32);
        let try_it = |begin, shape| {
            let copy = copy_3d(Part::array(array).at(begin), from, shape);
            let status = call!(program, memcpy_3d(&raw const copy));
            let mut back = vec![0_u8; 64 * 32 * 16];
            let to = Part::host(back.as_mut_ptr().cast(), 64).height(32);
            let copy = copy_3d(to, Part::array(array).at(begin), shape);
            assert_eq!(call!(program, memcpy_3d(&raw const copy)), status);
            status
        };
        let last = whole.map(|extent| extent - 1);
        assert_eq!(try_it(last, [1, 1, 1]), Status::SUCCESS);
        for axis in 0..3 {
            let mut shape = whole;
            shape[axis] += 1;
            assert_eq!(try_it([0; 3], shape), Status::INVALID_VALUE, "{extents:?} {shape:?}");
            let mut begin = [0; 3];
            begin[axis] = 1;
            assert_eq!(try_it(begin, whole), Status::INVALID_VALUE, "{extents:?} from {begin:?}");
            begin[axis] = usize::MAX;
            assert_eq!(try_it(begin, [1, 1, 1]), Status::INVALID_VALUE, "{extents:?} from {begin:?}");
        }
        let copy = copy_2d(Part::array(array), from, [whole[0] + 1, 1]);
        assert_eq!(call!(program, memcpy_2d_async(&raw const copy, stream)), Status::INVALID_VALUE);
        ok!(program, array_destroy(array));
    }
    ok!(program, stream_destroy(stream));
}

#[test]
fn arrays_to_arrays_of_other_shapes() {
    let program = program();
    let floats = CUDA_ARRAY3D_DESCRIPTOR { format: ARRAY_FORMAT_F32, ..bytes_of([4, 6, 0], 0) };
    let bytes = counted(16 * 6);
    let image = holding(&program, &floats, &bytes);
    for descriptor in [
        CUDA_ARRAY3D_DESCRIPTOR { format: ARRAY_FORMAT_U32, ..floats },
        CUDA_ARRAY3D_DESCRIPTOR { format: ARRAY_FORMAT_F16, channels: 2, ..floats },
        CUDA_ARRAY3D_DESCRIPTOR { channels: 4, width: 1, ..floats },
        bytes_of([16, 6, 0], SURFACE),
        bytes_of([16, 6, 1], 0),
        bytes_of([16, 6, 1], LAYERED),
    ] {
        let array = create(&program, &descriptor).expect("an array");
        // The bytes go as they are.
        let copy = copy_3d(Part::array(array), Part::array(image), [16, 6, 1]);
        ok!(program, memcpy_3d(&raw const copy));
        assert_eq!(contents(&program, &descriptor, array), bytes);
        ok!(program, array_destroy(array));
    }
    // Within one.
    let copy = copy_2d(Part::array(image).at([8, 3, 0]), Part::array(image), [8, 3]);
    ok!(program, memcpy_2d(&raw const copy));
    let mut expected = bytes.clone();
    for row in 0..3 {
        expected.copy_within(row * 16..row * 16 + 8, (row + 3) * 16 + 8);
    }
    assert_eq!(contents(&program, &floats, image), expected);
    ok!(program, array_destroy(image));
}

#[test]
fn arrays_to_device_memory_in_the_order_of_a_stream() {
    let program = program();
    let (dev, stream) = (program.alloc(256), program.stream(STREAM_NON_BLOCKING));
    let locked = program.locked(256);
    locked.write(&counted(256));
    let shape = bytes_of([16, 8, 2], 0);
    let (first, second) = (create(&program, &shape).expect("an array"), create(&program, &shape).expect("an array"));
    let on_device = Part::device(dev, 16).height(8);
    for copy in [
        copy_3d(Part::array(first), Part::host(locked.pointer, 16).height(8), [16, 8, 2]),
        copy_3d(Part::array(second), Part::array(first), [16, 8, 2]),
        copy_3d(on_device, Part::array(second), [16, 8, 2]),
    ] {
        ok!(program, memcpy_3d_async(&raw const copy, stream));
    }
    ok!(program, stream_synchronize(stream));
    assert_eq!(program.bytes(dev, 256), counted(256));
    // Levels are of arrays, and these have one.
    for (level, status) in [(0, Status::SUCCESS), (1, Status::INVALID_VALUE)] {
        let mut copy = copy_3d(Part::array(first), on_device, [16, 8, 2]);
        copy.dst_lod = level;
        copy.src_lod = 1;
        assert_eq!(call!(program, memcpy_3d(&raw const copy)), status);
    }
    ok!(program, context_synchronize());
    ok!(program, array_destroy(first));
    ok!(program, array_destroy(second));
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(dev));
    ok!(program, mem_free_host(locked.pointer));
}
