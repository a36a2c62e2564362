//! The driver's codes at the edges, as an H200 gave them.

use core::ffi::c_void;
use core::ptr;

use super::super::{SimOptions, ViolationKind};
use super::rig::{Rig, call, ok};
use crate::error::Status;

fn rig() -> Rig {
    Rig::new(SimOptions::default())
}

#[test]
fn nothing_works_before_initialisation() {
    let rig = Rig::uninitialised(SimOptions::default());
    let mut number = 0;
    assert_eq!(call!(rig, device_count(&mut number)), Status::NOT_INITIALIZED);
    assert_eq!(call!(rig, init(1)), Status::INVALID_VALUE);
    ok!(rig, driver_version(&mut number));
    assert_eq!(number, 13_000);
    ok!(rig, init(0));
    assert_eq!(call!(rig, primary_context_release(0)), Status::INVALID_CONTEXT);
    ok!(rig, device_count(&mut number));
    assert_eq!(number, 1);
}

#[test]
fn no_device() {
    let rig = Rig::uninitialised(SimOptions::default().devices(0));
    assert_eq!(call!(rig, init(0)), Status::NO_DEVICE);
}

#[test]
fn device_questions() {
    let rig = Rig::new(SimOptions::default().devices(2));
    let (mut device, mut value) = (0, 0);
    for ordinal in [-1, 2, 99] {
        assert_eq!(call!(rig, device_get(&mut device, ordinal)), Status::INVALID_DEVICE);
    }
    ok!(rig, device_get(&mut device, 1));
    assert_eq!(call!(rig, device_attribute(&mut value, 9999, 0)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, device_attribute(&mut value, 1, 9)), Status::INVALID_DEVICE);
    for (attribute, expected) in [(75, 9), (76, 0), (41, 1), (83, 1), (89, 1), (115, 1), (16, 16), (10, 32), (1, 1024)]
    {
        ok!(rig, device_attribute(&mut value, attribute, 1));
        assert_eq!(value, expected, "attribute {attribute}");
    }
    let mut name = [1i8; 64];
    ok!(rig, device_name(name.as_mut_ptr().cast(), 64, 0));
    let text: Vec<u8> = name.iter().take_while(|byte| **byte != 0).map(|byte| byte.cast_unsigned()).collect();
    assert_eq!(text, b"memcore simulated device");
    ok!(rig, device_name(name.as_mut_ptr().cast(), 5, 0));
    assert_eq!(name.get(..5), Some(&[109, 101, 109, 99, 0][..]));
    assert_eq!(call!(rig, device_name(name.as_mut_ptr().cast(), 0, 0)), Status::INVALID_VALUE);
    let mut uuids = [crate::driver::ffi::CUuuid { bytes: [0; 16] }; 2];
    for (index, uuid) in uuids.iter_mut().enumerate() {
        ok!(rig, device_uuid(uuid, i32::try_from(index).unwrap_or(0)));
    }
    assert_ne!(uuids[0].bytes, uuids[1].bytes);
    for (peer, can) in [(0, 0), (1, 1)] {
        ok!(rig, device_can_access_peer(&mut value, 0, peer));
        assert_eq!(value, can);
    }
    let mut total = 0;
    ok!(rig, device_total_memory(&mut total, 1));
    assert_eq!(total, 16 << 30);
}

#[test]
fn allocation_edges() {
    let rig = rig();
    let (mut address, mut pointer, stream) = (1u64, ptr::dangling_mut::<c_void>(), rig.stream(1));
    assert_eq!(call!(rig, mem_alloc(&mut address, 0)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, mem_alloc(&mut address, 1 << 40)), Status::OUT_OF_MEMORY);
    assert_eq!(call!(rig, mem_alloc(&mut address, usize::MAX)), Status::OUT_OF_MEMORY);
    assert_eq!(call!(rig, mem_alloc(ptr::null_mut(), 1)), Status::INVALID_VALUE);
    ok!(rig, mem_alloc_async(&mut address, 0, stream));
    assert_eq!(address, 0);
    assert_eq!(call!(rig, mem_alloc_async(&mut address, usize::MAX, stream)), Status::OUT_OF_MEMORY);
    ok!(rig, mem_host_alloc(&mut pointer, 0, 0));
    assert!(pointer.is_null());
    assert_eq!(call!(rig, mem_host_alloc(&mut pointer, 1, 8)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, mem_host_alloc(&mut pointer, usize::MAX, 0)), Status::OUT_OF_MEMORY);
    for (bytes, flags) in [(0, 1), (64, 0), (64, 4), (64, 3)] {
        assert_eq!(call!(rig, mem_alloc_managed(&mut address, bytes, flags)), Status::INVALID_VALUE);
    }
    assert_eq!(call!(rig, mem_alloc_managed(&mut address, usize::MAX, 1)), Status::OUT_OF_MEMORY);
    // Freeing nothing is nothing.
    ok!(rig, mem_free(0));
    ok!(rig, mem_free_async(0, stream));
    ok!(rig, mem_free_host(ptr::null_mut()));
    assert!(rig.kinds().is_empty());
}

#[test]
fn copy_edges() {
    let rig = rig();
    let (dev, locked) = (rig.alloc(4096), rig.locked(4096));
    let mut host = vec![0u8; 8192];
    let pageable = host.as_mut_ptr().cast::<c_void>();
    let address = pageable.addr() as u64;
    let pinned = locked.pointer.addr() as u64;
    // Zero bytes are nothing, wherever.
    ok!(rig, memcpy_htod(0, ptr::null(), 0));
    ok!(rig, memset_d32(0, 1, 0));
    for status in [
        call!(rig, memcpy_htod(dev, pageable, 4097)),
        call!(rig, memcpy_htod(dev + 8, pageable, usize::MAX)),
        call!(rig, memcpy_htod(dev, ptr::null(), 64)),
        call!(rig, memcpy_htod(0, pageable, 64)),
        call!(rig, memcpy_htod(address + 512, pageable, 64)),
        call!(rig, memcpy_dtoh(pageable, address + 512, 64)),
        call!(rig, memcpy_dtod(dev, address, 64)),
        call!(rig, memcpy_htod(dev, locked.pointer.wrapping_byte_add(4090), 64)),
        call!(rig, memset_d32(dev + 2, 1, 1)),
        call!(rig, memset_d16(dev + 1, 1, 1)),
        call!(rig, memset_d32(dev, 1, 1025)),
        call!(rig, memset_d32(dev, 1, usize::MAX)),
        call!(rig, memset_d32(0, 1, 1)),
        call!(rig, memset_d32(address, 1, 1)),
    ] {
        assert_eq!(status, Status::INVALID_VALUE);
    }
    // Unified addresses: either side may be any memory that the driver knows.
    ok!(rig, memcpy_htod(pinned, pageable, 64));
    ok!(rig, memcpy_htod(dev, ptr::without_provenance(dev as usize + 512), 64));
    ok!(rig, memcpy_dtoh(pageable, pinned, 64));
    ok!(rig, memcpy_dtoh(ptr::without_provenance_mut(dev as usize), dev + 512, 64));
    ok!(rig, memset_d32(pinned, 1, 1));
    // Across the end of a registration.
    ok!(rig, mem_host_register(pageable, 64, 0));
    assert_eq!(call!(rig, memcpy_htod(dev, pageable.wrapping_byte_add(32), 64)), Status::INVALID_VALUE);
    ok!(rig, mem_host_unregister(pageable));
    // The last byte.
    ok!(rig, memcpy_htod(dev + 4095, pageable, 1));
    ok!(rig, memcpy_dtoh(pageable, dev + 4095, 1));
}

#[test]
fn register_edges() {
    let rig = rig();
    let mut memory = vec![0u8; 4096];
    let at = |offset: usize| memory.as_ptr().cast_mut().cast::<c_void>().wrapping_byte_add(offset);
    for (pointer, bytes, flags) in [(ptr::null_mut(), 9, 0), (at(0), 0, 0), (at(0), 64, 16), (at(0), 64, 4)] {
        assert_eq!(call!(rig, mem_host_register(pointer, bytes, flags)), Status::INVALID_VALUE);
    }
    ok!(rig, mem_host_register(at(0), 64, 0));
    assert_eq!(call!(rig, mem_host_register(at(32), 64, 0)), Status::HOST_MEMORY_ALREADY_REGISTERED);
    ok!(rig, mem_host_register(at(64), 64, 8));
    assert_eq!(call!(rig, mem_host_unregister(at(8))), Status::INVALID_VALUE);
    ok!(rig, mem_host_unregister(at(0)));
    assert_eq!(call!(rig, mem_host_unregister(at(0))), Status::HOST_MEMORY_NOT_REGISTERED);
    assert_eq!(call!(rig, mem_host_unregister(ptr::null_mut())), Status::INVALID_VALUE);
    ok!(rig, mem_host_unregister(at(64)));
    assert_eq!(rig.kinds(), [ViolationKind::InvalidFree, ViolationKind::DoubleFree]);
    memory.clear();
}

#[test]
fn stream_and_event_edges() {
    let rig = rig();
    let (stream, event, other, null) = (rig.stream(1), rig.event(), rig.event(), ptr::null_mut());
    let mut made = ptr::null_mut();
    assert_eq!(call!(rig, stream_create(&mut made, 2, 0)), Status::INVALID_VALUE);
    ok!(rig, stream_create(&mut made, 0, 100));
    for handle in [0, 1, 2, 0x1234] {
        assert_eq!(call!(rig, stream_destroy(ptr::without_provenance_mut(handle))), Status::INVALID_HANDLE);
    }
    // The per-thread default stream.
    ok!(rig, stream_synchronize(ptr::without_provenance_mut(2)));
    ok!(rig, event_query(event));
    let mut time = 0.0;
    assert_eq!(call!(rig, event_elapsed_time(&mut time, event, other)), Status::INVALID_HANDLE);
    let mut untimed = ptr::null_mut();
    assert_eq!(call!(rig, event_create(&mut untimed, 8)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, event_create(&mut untimed, 4)), Status::INVALID_VALUE);
    ok!(rig, event_create(&mut untimed, 2));
    ok!(rig, event_record(event, stream));
    ok!(rig, event_record(untimed, stream));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(call!(rig, event_elapsed_time(&mut time, event, untimed)), Status::INVALID_HANDLE);
    for status in [
        call!(rig, event_record(null, stream)),
        call!(rig, event_query(null)),
        call!(rig, event_synchronize(null)),
        call!(rig, event_destroy(null)),
        call!(rig, stream_wait_event(stream, null, 0)),
        // A handle of the other kind.
        call!(rig, event_query(stream.cast())),
    ] {
        assert_eq!(status, Status::INVALID_HANDLE);
    }
    assert_eq!(call!(rig, stream_wait_event(stream, event, 2)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, stream_wait_event(stream, event, 1)), Status::ILLEGAL_STATE);
    let mut capturing = 9;
    ok!(rig, stream_is_capturing(stream, &mut capturing));
    assert_eq!(capturing, 0);
    let dev = rig.alloc(4);
    let write = |address, flags| call!(rig, stream_write_value_32(stream, address, 1, flags));
    assert_eq!(write(dev + 2, 0), Status::INVALID_VALUE);
    assert_eq!(write(dev, 2), Status::INVALID_VALUE);
    assert_eq!(write(0x1000, 0), Status::INVALID_VALUE);
    assert_eq!(write(dev, 1), Status::SUCCESS);
}

#[test]
fn an_event_belongs_to_its_context() {
    let rig = Rig::new(SimOptions::default().devices(2));
    let (event, stream) = (rig.event(), rig.stream(1));
    ok!(rig, context_set_current(rig.retain(1)));
    let elsewhere = rig.stream(1);
    assert_eq!(call!(rig, event_record(event, elsewhere)), Status::INVALID_HANDLE);
    ok!(rig, event_record(event, stream));
    ok!(rig, stream_wait_event(elsewhere, event, 0));
}

#[test]
fn without_a_context() {
    let rig = rig();
    let (dev, stream, event, locked) = (rig.alloc(64), rig.stream(1), rig.event(), rig.locked(64));
    ok!(rig, context_set_current(ptr::null_mut()));
    let (mut address, mut number, mut size, null) = (0, 0, 0, ptr::null_mut());
    for status in [
        call!(rig, mem_alloc(&mut address, 64)),
        call!(rig, mem_alloc_managed(&mut address, 64, 1)),
        call!(rig, stream_synchronize(null)),
        call!(rig, stream_is_capturing(null, &mut number)),
        call!(rig, memory_info(&mut size, &mut size)),
        call!(rig, context_synchronize()),
        call!(rig, memcpy_htod(dev, locked.pointer, 64)),
        call!(rig, mem_address_range(&mut address, &mut size, dev)),
        call!(rig, stream_create(&mut ptr::null_mut(), 0, 0)),
    ] {
        assert_eq!(status, Status::INVALID_CONTEXT);
    }
    // What has a context of its own needs no current one.
    ok!(rig, stream_synchronize(stream));
    ok!(rig, stream_query(stream));
    ok!(rig, event_query(event));
    ok!(rig, event_record(event, stream));
    ok!(rig, stream_is_capturing(stream, &mut number));
    ok!(rig, pointer_attribute((&raw mut number).cast(), 9, dev));
    ok!(rig, memcpy_htod_async(dev, locked.pointer, 64, stream));
    ok!(rig, mem_alloc_async(&mut address, 64, stream));
    ok!(rig, mem_free_async(address, stream));
    ok!(rig, stream_synchronize(stream));
    ok!(rig, mem_free(dev));
    ok!(rig, mem_free_host(locked.pointer));
    ok!(rig, event_destroy(event));
    ok!(rig, stream_destroy(stream));
    assert_eq!(rig.kinds(), [ViolationKind::WrongContext; 9]);
}

#[test]
fn a_released_context_is_destroyed_and_comes_back() {
    let rig = rig();
    let (stream, dev) = (rig.stream(1), rig.alloc(64));
    let again = rig.retain(0);
    assert_eq!(again, rig.context);
    ok!(rig, primary_context_release(0));
    ok!(rig, stream_query(stream));
    ok!(rig, primary_context_release(0));
    let (mut address, mut current) = (0, ptr::null_mut());
    ok!(rig, context_current(&mut current));
    assert_eq!(current, rig.context);
    for status in [
        call!(rig, mem_alloc(&mut address, 64)),
        call!(rig, mem_free(dev)),
        call!(rig, context_synchronize()),
        call!(rig, stream_synchronize(stream)),
    ] {
        assert_eq!(status, Status::CONTEXT_IS_DESTROYED);
    }
    assert_eq!(call!(rig, primary_context_release(0)), Status::INVALID_CONTEXT);
    ok!(rig, context_set_current(rig.context));
    assert_eq!(rig.retain(0), rig.context);
    ok!(rig, mem_alloc(&mut address, 64));
    ok!(rig, mem_free(address));
    assert_eq!(rig.free_memory().0, 16 << 30);
    let wrong = ViolationKind::WrongContext;
    assert_eq!(rig.kinds(), [ViolationKind::Leak, wrong, wrong, wrong, wrong]);
}

#[test]
fn foreign_handles_are_refused() {
    let (rig, other) = (rig(), rig());
    assert_eq!(call!(rig, context_set_current(other.context)), Status::INVALID_CONTEXT);
    let foreign = other.stream(0);
    assert_eq!(call!(rig, stream_synchronize(foreign)), Status::INVALID_HANDLE);
    let dev = other.alloc(64);
    assert_eq!(call!(rig, memset_d8(dev, 0, 1)), Status::INVALID_VALUE);
    assert_eq!(rig.driver.reserved_by(dev), None);
    assert_eq!(other.driver.reserved_by(dev), Some(0));
}

#[test]
fn capture_modes_are_exchanged() {
    let rig = rig();
    let mut mode = 2;
    ok!(rig, exchange_capture_mode(&mut mode));
    assert_eq!(mode, 0);
    ok!(rig, exchange_capture_mode(&mut mode));
    assert_eq!(mode, 2);
    mode = 4;
    assert_eq!(call!(rig, exchange_capture_mode(&mut mode)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, exchange_capture_mode(ptr::null_mut())), Status::INVALID_VALUE);
}

#[test]
fn pointer_attributes() {
    let rig = rig();
    let (dev, managed, locked, stream, pool) =
        (rig.alloc(64), rig.managed(64), rig.locked(64), rig.stream(1), rig.pool());
    let mut pooled = 0;
    ok!(rig, mem_alloc_from_pool(&mut pooled, 64, pool, stream));
    let host = locked.pointer.addr() as u64;
    let ask = |attribute, address| {
        let mut value = 0u64;
        let status = call!(rig, pointer_attribute((&raw mut value).cast(), attribute, address));
        if status.is_success() { Ok(value) } else { Err(status) }
    };
    let context = rig.context.addr() as u64;
    for (address, own, kind, is_managed, of_host) in [
        (dev, context, 2, 0, Err(Status::INVALID_VALUE)),
        (managed, context, 2, 1, Ok(managed)),
        (host, context, 1, 0, Ok(host)),
        (pooled, 0, 2, 0, Err(Status::INVALID_VALUE)),
    ] {
        assert_eq!(ask(1, address), Ok(own));
        assert_eq!(ask(2, address + 5), Ok(kind));
        assert_eq!(ask(3, address + 5), Ok(address + 5));
        assert_eq!(ask(4, address), of_host);
        assert_eq!(ask(8, address), Ok(is_managed));
        assert_eq!(ask(9, address), Ok(0));
        assert_eq!(ask(11, address + 5), Ok(address));
        assert_eq!(ask(12, address), Ok(64));
        assert_eq!(ask(17, address), Ok(if address == pooled { pool.addr() as u64 } else { 0 }));
        assert_eq!(ask(99, address), Err(Status::INVALID_VALUE));
        let (mut base, mut size) = (0, 0);
        ok!(rig, mem_address_range(&mut base, &mut size, address + 63));
        assert_eq!((base, size), (address, 64));
        ok!(rig, mem_address_range(ptr::null_mut(), ptr::null_mut(), address));
    }
    assert_ne!(ask(7, dev), ask(7, managed));
    let pageable = (&raw const rig).addr() as u64;
    ok!(rig, mem_free(dev));
    for address in [pageable, dev, managed + 64, 0] {
        assert_eq!(ask(2, address), Err(Status::INVALID_VALUE));
        assert_eq!(call!(rig, mem_address_range(&mut 0, &mut 0, address)), Status::NOT_FOUND);
    }
    let device_pointer = |address: u64, flags| {
        let mut out = 0;
        let pointer = ptr::without_provenance_mut(address as usize);
        (call!(rig, mem_host_device_pointer(&mut out, pointer, flags)), out)
    };
    assert_eq!(device_pointer(host + 5, 0), (Status::SUCCESS, host + 5));
    for (address, flags) in [(host, 1), (pageable, 0), (managed, 0), (pooled, 0)] {
        assert_eq!(device_pointer(address, flags).0, Status::INVALID_VALUE);
    }
}

#[test]
fn missing_features_are_not_supported() {
    let rig = Rig::new(SimOptions::default().without_pools().without_managed());
    let (mut address, mut value, stream) = (0, 9, rig.stream(1));
    assert_eq!(call!(rig, mem_alloc_async(&mut address, 64, stream)), Status::NOT_SUPPORTED);
    assert_eq!(call!(rig, mem_alloc_managed(&mut address, 64, 1)), Status::NOT_SUPPORTED);
    assert_eq!(call!(rig, pool_trim(ptr::null_mut(), 0)), Status::NOT_SUPPORTED);
    for attribute in [83, 89, 115] {
        ok!(rig, device_attribute(&mut value, attribute, 0));
        assert_eq!(value, 0);
    }
}
