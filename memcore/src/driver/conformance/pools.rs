//! Memory pools: their counters, limits and access, as two H200 have them (`scripts/probes/peers.py`).

use core::ffi::c_void;
use core::ptr;

use super::program;
use crate::driver::ffi::{
    ACCESS_NONE, ACCESS_READ, ACCESS_READ_WRITE, ALLOCATION_TYPE_PINNED, CUdeviceptr, CUmemAccessDesc, CUmemLocation,
    CUmemPoolProps, CUmemoryPool, CUstream, LOCATION_DEVICE, POOL_RELEASE_THRESHOLD, POOL_RESERVED_CURRENT,
    POOL_RESERVED_HIGH, POOL_REUSE_ALLOW_OPPORTUNISTIC, POOL_USED_CURRENT, POOL_USED_HIGH, STREAM_NON_BLOCKING,
};
use crate::driver::sim::tests::rig::{Program, call, ok};
use crate::error::Status;

/// What an H200 takes from the device at once.
const CHUNK: usize = 32 << 20;

pub(super) fn props(device: i32, max_size: usize) -> CUmemPoolProps {
    CUmemPoolProps {
        alloc_type: ALLOCATION_TYPE_PINNED,
        handle_types: 0,
        location: CUmemLocation { kind: LOCATION_DEVICE, id: device },
        win32_security_attributes: ptr::null_mut(),
        max_size,
        usage: 0,
        reserved: [0; 54],
    }
}

pub(super) fn pool(program: &Program, device: i32, max_size: usize) -> CUmemoryPool {
    let mut pool = ptr::null_mut();
    ok!(program, pool_create(&raw mut pool, &props(device, max_size)));
    pool
}

pub(super) fn from_pool(
    program: &Program,
    pool: CUmemoryPool,
    bytes: usize,
    stream: CUstream,
) -> (Status, CUdeviceptr) {
    let mut address = 0;
    let status = call!(program, mem_alloc_from_pool(&raw mut address, bytes, pool, stream));
    (status, address)
}

pub(super) fn get_access(program: &Program, pool: CUmemoryPool, kind: u32, device: i32) -> (Status, u32) {
    let (mut flags, mut location) = (77, CUmemLocation { kind, id: device });
    let status = call!(program, pool_get_access(&raw mut flags, pool, &raw mut location));
    (status, flags)
}

pub(super) fn set_access(program: &Program, pool: CUmemoryPool, kind: u32, device: i32, flags: u32) -> Status {
    let access = CUmemAccessDesc { location: CUmemLocation { kind, id: device }, flags };
    call!(program, pool_set_access(pool, &raw const access, 1))
}

fn number(program: &Program, pool: CUmemoryPool, attribute: u32) -> u64 {
    let mut value = 0_u64;
    ok!(program, pool_get_attribute(pool, attribute, (&raw mut value).cast()));
    value
}

fn set(program: &Program, pool: CUmemoryPool, attribute: u32, mut value: u64) -> Status {
    call!(program, pool_set_attribute(pool, attribute, (&raw mut value).cast()))
}

#[test]
fn counters_go_up_and_down() {
    let program = program();
    let (pool, stream) = (pool(&program, 0, 0), program.stream(STREAM_NON_BLOCKING));
    let used = || [POOL_USED_CURRENT, POOL_USED_HIGH].map(|attribute| number(&program, pool, attribute));
    assert_eq!(used(), [0, 0]);
    let (status, small) = from_pool(&program, pool, 1, stream);
    assert_eq!((status, used()), (Status::SUCCESS, [1, 1]));
    let (status, large) = from_pool(&program, pool, 2 * CHUNK, stream);
    assert_eq!((status, used()), (Status::SUCCESS, [2 * CHUNK as u64 + 1; 2]));
    assert!(number(&program, pool, POOL_RESERVED_CURRENT) > 2 * CHUNK as u64);
    ok!(program, mem_free_async(large, stream));
    assert_eq!(used(), [1, 2 * CHUNK as u64 + 1]);
    ok!(program, stream_synchronize(stream));
    // The threshold is 0.
    let reserved = number(&program, pool, POOL_RESERVED_CURRENT);
    assert!((1..=CHUNK as u64).contains(&reserved));
    assert!(number(&program, pool, POOL_RESERVED_HIGH) > 2 * CHUNK as u64);
    for attribute in [POOL_RESERVED_HIGH, POOL_USED_HIGH] {
        assert_eq!(set(&program, pool, attribute, 1), Status::INVALID_VALUE);
        assert_eq!(set(&program, pool, attribute, 0), Status::SUCCESS);
    }
    assert_eq!((used(), number(&program, pool, POOL_RESERVED_HIGH)), ([1, 1], reserved));
    for attribute in [0, POOL_RESERVED_CURRENT, POOL_USED_CURRENT, 99] {
        assert_eq!(set(&program, pool, attribute, 0), Status::INVALID_VALUE);
    }
    assert_eq!(set(&program, pool, POOL_RELEASE_THRESHOLD, u64::MAX), Status::SUCCESS);
    assert_eq!(number(&program, pool, POOL_RELEASE_THRESHOLD), u64::MAX);
    let mut switch = 1_i32;
    for (wanted, is) in [(0, 0), (2, 1), (-1, 1)] {
        let mut value: i32 = wanted;
        ok!(program, pool_set_attribute(pool, POOL_REUSE_ALLOW_OPPORTUNISTIC, (&raw mut value).cast()));
        ok!(program, pool_get_attribute(pool, POOL_REUSE_ALLOW_OPPORTUNISTIC, (&raw mut switch).cast()));
        assert_eq!(switch, is);
    }
    ok!(program, mem_free_async(small, stream));
    ok!(program, stream_synchronize(stream));
    ok!(program, pool_trim(pool, 0));
    assert_eq!((used(), number(&program, pool, POOL_RESERVED_CURRENT)), ([0, 1], 0));
    ok!(program, pool_destroy(pool));
    ok!(program, stream_destroy(stream));
}

#[test]
fn a_pool_is_full_at_its_maximum() {
    let program = program();
    let (pool, stream) = (pool(&program, 0, 2 * CHUNK), program.stream(STREAM_NON_BLOCKING));
    assert_eq!(from_pool(&program, pool, 2 * CHUNK + 1, stream).0, Status::OUT_OF_MEMORY);
    let (status, one) = from_pool(&program, pool, CHUNK, stream);
    assert_eq!(status, Status::SUCCESS);
    let (status, two) = from_pool(&program, pool, CHUNK, stream);
    assert_eq!(status, Status::SUCCESS);
    assert_eq!(from_pool(&program, pool, 1, stream).0, Status::OUT_OF_MEMORY);
    ok!(program, mem_free_async(one, stream));
    let (status, again) = from_pool(&program, pool, 1, stream);
    assert_eq!(status, Status::SUCCESS);
    ok!(program, mem_free_async(again, stream));
    ok!(program, mem_free_async(two, stream));
    ok!(program, stream_synchronize(stream));
    ok!(program, pool_destroy(pool));
    ok!(program, stream_destroy(stream));
}

#[test]
fn pools_that_cannot_be() {
    let program = program();
    let create = |props: &CUmemPoolProps| {
        let mut pool = ptr::null_mut();
        call!(program, pool_create(&raw mut pool, props))
    };
    assert_eq!(create(&props(0, 1 << 50)), Status::OUT_OF_MEMORY);
    assert_eq!(create(&props(-1, 0)), Status::INVALID_VALUE);
    assert_eq!(create(&props(99, 0)), Status::INVALID_VALUE);
    assert_eq!(create(&CUmemPoolProps { alloc_type: 0, ..props(0, 0) }), Status::INVALID_VALUE);
    let nowhere = CUmemLocation { kind: 0, id: 0 };
    assert_eq!(create(&CUmemPoolProps { location: nowhere, ..props(0, 0) }), Status::INVALID_VALUE);
    let stream = program.stream(STREAM_NON_BLOCKING);
    assert_eq!(from_pool(&program, ptr::null_mut(), 16, stream).0, Status::INVALID_VALUE);
    assert_eq!(call!(program, pool_trim(ptr::null_mut(), 0)), Status::INVALID_VALUE);
    ok!(program, stream_destroy(stream));
}

#[test]
fn memory_outlives_its_pool() {
    let program = program();
    let (pool, stream) = (pool(&program, 0, 0), program.stream(STREAM_NON_BLOCKING));
    let (status, address) = from_pool(&program, pool, 4096, stream);
    assert_eq!(status, Status::SUCCESS);
    ok!(program, pool_destroy(pool));
    ok!(program, memset_d8_async(address, 3, 4096, stream));
    ok!(program, stream_synchronize(stream));
    let mut out = [0_u8; 4096];
    ok!(program, memcpy_dtoh(out.as_mut_ptr().cast::<c_void>(), address, 4096));
    assert_eq!(out, [3; 4096]);
    ok!(program, mem_free_async(address, stream));
    ok!(program, stream_synchronize(stream));
    ok!(program, stream_destroy(stream));
}

#[test]
fn access_to_a_pool() {
    let program = program();
    let pool = pool(&program, 0, 0);
    assert_eq!(get_access(&program, pool, LOCATION_DEVICE, 0), (Status::SUCCESS, ACCESS_READ_WRITE));
    for (kind, device) in [(LOCATION_DEVICE, 99), (LOCATION_DEVICE, -1), (0, 0)] {
        assert_eq!(get_access(&program, pool, kind, device), (Status::INVALID_VALUE, 77));
    }
    let set = |flags| set_access(&program, pool, LOCATION_DEVICE, 0, flags);
    assert_eq!(set(ACCESS_NONE), Status::INVALID_DEVICE);
    assert_eq!(set(ACCESS_READ), Status::NOT_SUPPORTED);
    assert_eq!(set(ACCESS_READ_WRITE), Status::SUCCESS);
    assert_eq!([set(2), set(4)], [Status::INVALID_VALUE; 2]);
    assert_eq!(set_access(&program, pool, LOCATION_DEVICE, 99, ACCESS_READ_WRITE), Status::INVALID_DEVICE);
    assert_eq!(set_access(&program, pool, 0, 0, ACCESS_READ_WRITE), Status::NOT_SUPPORTED);
    assert_eq!(set_access(&program, ptr::null_mut(), LOCATION_DEVICE, 0, ACCESS_READ_WRITE), Status::INVALID_VALUE);
    let none: [CUmemAccessDesc; 1] = [CUmemAccessDesc { location: CUmemLocation { kind: 1, id: 0 }, flags: 3 }];
    ok!(program, pool_set_access(pool, none.as_ptr(), 0));
    for count in [0, 1] {
        assert_eq!(call!(program, pool_set_access(pool, ptr::null(), count)), Status::INVALID_VALUE);
    }
    // No context has to be current.
    ok!(program, context_set_current(ptr::null_mut()));
    assert_eq!(set(ACCESS_READ_WRITE), Status::SUCCESS);
    assert_eq!(get_access(&program, pool, LOCATION_DEVICE, 0), (Status::SUCCESS, ACCESS_READ_WRITE));
    ok!(program, pool_trim(pool, 0));
    ok!(program, context_set_current(program.context));
    ok!(program, pool_destroy(pool));
}
