//! CUDA arrays: what a GPU's driver would not survive, or not show.

use super::super::{SimOptions, ViolationKind};
use super::parts::{Part, copy_2d};
use super::rig::{Rig, call, ok};
use crate::driver::ffi::{ARRAY_FORMAT_F32, ARRAY_LAYERED, CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR};
use crate::error::Status;

fn rig() -> Rig {
    Rig::new(SimOptions::default())
}

#[test]
fn an_array_takes_memory_and_gives_it_back() {
    let rig = rig();
    let (before, total) = rig.free_memory();
    let array = rig.image(1024, 1024);
    assert_eq!(rig.free_memory(), (before - (1 << 20), total));
    ok!(rig, array_destroy(array));
    assert_eq!(rig.free_memory(), (before, total));
    assert!(rig.kinds().is_empty());
}

#[test]
fn flags_that_are_not_simulated() {
    let rig = rig();
    for (flag, status) in [
        (0x10, Status::INVALID_VALUE),
        (0x20, Status::INVALID_VALUE),
        (0x40, Status::NOT_SUPPORTED),
        (0x80, Status::NOT_SUPPORTED),
        (0x100, Status::NOT_SUPPORTED),
        (ARRAY_LAYERED | 0x80, Status::INVALID_VALUE),
    ] {
        let descriptor = CUDA_ARRAY3D_DESCRIPTOR {
            width: 16,
            height: 16,
            depth: 0,
            format: ARRAY_FORMAT_F32,
            channels: 1,
            flags: flag,
        };
        let mut array = core::ptr::null_mut();
        assert_eq!(call!(rig, array_create_3d(&mut array, &descriptor)), status, "{flag:#x}");
        assert!(array.is_null());
    }
}

#[test]
fn a_handle_is_no_address_and_an_address_no_handle() {
    let rig = rig();
    let (array, dev, own) = (rig.written_image(16, 4), rig.alloc(64), [1_u8; 64]);
    let address = array.addr() as u64;
    assert_eq!(rig.upload(address, &own), Status::INVALID_VALUE);
    assert_eq!(call!(rig, memset_d8(address, 1, 16)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, memcpy_htod(dev, array.cast(), 16)), Status::INVALID_VALUE);
    let mut value = 0_u32;
    assert_eq!(call!(rig, pointer_attribute((&raw mut value).cast(), 2, address)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, mem_address_range(&mut 0, &mut 0, address)), Status::NOT_FOUND);
    let no_array = core::ptr::without_provenance_mut(dev as usize);
    let copy = copy_2d(Part::array(no_array), Part::bytes(&own, 16), [16, 4]);
    assert_eq!(call!(rig, memcpy_2d(&copy)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, array_descriptor(&mut CUDA_ARRAY_DESCRIPTOR::default(), no_array)), Status::INVALID_HANDLE);
    ok!(rig, array_destroy(array));
    ok!(rig, mem_free(dev));
    assert!(rig.kinds().is_empty());
}

#[test]
fn handles_of_destroyed_arrays_have_the_codes_of_a_gpu() {
    let rig = rig();
    let (array, own, stream) = (rig.image(16, 4), [1_u8; 64], rig.stream(1));
    ok!(rig, array_destroy(array));
    // The driver says so of the array's context.
    assert_eq!(call!(rig, array_destroy(array)), Status::CONTEXT_IS_DESTROYED);
    let (mut flat, mut whole) = (CUDA_ARRAY_DESCRIPTOR::default(), CUDA_ARRAY3D_DESCRIPTOR::default());
    assert_eq!(call!(rig, array_descriptor(&mut flat, array)), Status::CONTEXT_IS_DESTROYED);
    assert_eq!(call!(rig, array_descriptor_3d(&mut whole, array)), Status::CONTEXT_IS_DESTROYED);
    let copy = copy_2d(Part::array(array), Part::bytes(&own, 16), [16, 4]);
    assert_eq!(call!(rig, memcpy_2d_async(&copy, stream)), Status::INVALID_VALUE);
    let (freed, used) = (ViolationKind::DoubleFree, ViolationKind::UseAfterFree);
    assert_eq!(rig.kinds(), [freed, used, used, used]);
}

#[test]
fn a_copy_to_a_destroyed_array_is_told_and_refused() {
    let rig = rig();
    let (array, own) = (rig.image(16, 4), [1_u8; 64]);
    ok!(rig, array_destroy(array));
    // A GPU's driver does not survive this one.
    let copy = copy_2d(Part::array(array), Part::bytes(&own, 16), [16, 4]);
    assert_eq!(call!(rig, memcpy_2d(&copy)), Status::INVALID_VALUE);
    assert_eq!(rig.kinds(), [ViolationKind::UseAfterFree]);
}

#[test]
fn arrays_of_any_device_are_used_in_any_context() {
    let rig = Rig::new(SimOptions::default().devices(2));
    let (here, own) = (rig.written_image(16, 4), [2_u8; 64]);
    let other = rig.retain(1);
    ok!(rig, context_set_current(other));
    let (there, stream) = (rig.image(16, 4), rig.stream(1));
    ok!(rig, memcpy_2d(&copy_2d(Part::array(there), Part::array(here), [16, 4])));
    ok!(rig, context_synchronize());
    ok!(rig, memcpy_2d_async(&copy_2d(Part::array(here), Part::bytes(&own, 16), [16, 4]), stream));
    ok!(rig, stream_synchronize(stream));
    ok!(rig, array_destroy(here));
    ok!(rig, array_destroy(there));
    ok!(rig, stream_destroy(stream));
    ok!(rig, primary_context_release(1));
    assert!(rig.kinds().is_empty());
}

#[test]
fn an_array_goes_with_its_context() {
    let rig = rig();
    let array = rig.image(16, 4);
    ok!(rig, primary_context_release(0));
    assert_eq!(call!(rig, array_destroy(array)), Status::CONTEXT_IS_DESTROYED);
    assert_eq!(rig.kinds(), [ViolationKind::Leak, ViolationKind::WrongContext]);
}
