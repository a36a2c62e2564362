//! What is known of addresses, as an H200 has it (`scripts/probes/peers.py`).

use core::ptr;

use super::pools::{from_pool, pool};
use super::program;
use crate::driver::ffi::{
    POINTER_ACCESS_FLAGS, POINTER_BUFFER_ID, POINTER_CONTEXT, POINTER_DEVICE_ORDINAL, POINTER_DEVICE_POINTER,
    POINTER_HANDLE_TYPES, POINTER_HOST_POINTER, POINTER_IS_IPC_CAPABLE, POINTER_IS_MANAGED, POINTER_MAPPED,
    POINTER_MEMORY_TYPE, POINTER_MEMPOOL_HANDLE, POINTER_RANGE_SIZE, POINTER_RANGE_START, POINTER_SYNC_MEMOPS,
    STREAM_NON_BLOCKING,
};
use crate::driver::sim::tests::rig::{Program, call, ok};
use crate::error::Status;

/// All attributes that a program may ask for here.
const ATTRIBUTES: [u32; 15] = [
    POINTER_CONTEXT,
    POINTER_MEMORY_TYPE,
    POINTER_DEVICE_POINTER,
    POINTER_HOST_POINTER,
    POINTER_SYNC_MEMOPS,
    POINTER_BUFFER_ID,
    POINTER_IS_MANAGED,
    POINTER_DEVICE_ORDINAL,
    POINTER_IS_IPC_CAPABLE,
    POINTER_RANGE_START,
    POINTER_RANGE_SIZE,
    POINTER_MAPPED,
    POINTER_HANDLE_TYPES,
    POINTER_ACCESS_FLAGS,
    POINTER_MEMPOOL_HANDLE,
];

/// An attribute, in a word that was zero.
fn ask(program: &Program, attribute: u32, address: u64) -> Result<u64, Status> {
    let mut value = [0_u64; 2];
    let status = call!(program, pointer_attribute(value.as_mut_ptr().cast(), attribute, address));
    if status.is_success() { Ok(value[0]) } else { Err(status) }
}

fn range(program: &Program, address: u64) -> Result<(u64, usize), Status> {
    let (mut base, mut size) = (0, 0);
    let status = call!(program, mem_address_range(&raw mut base, &raw mut size, address));
    if status.is_success() { Ok((base, size)) } else { Err(status) }
}

#[test]
fn every_kind_of_memory() {
    let program = program();
    let (pool, stream) = (pool(&program, 0, 0), program.stream(STREAM_NON_BLOCKING));
    let (plain, managed, locked) = (program.alloc(1000), program.managed(1000), program.locked(1000));
    let pooled = from_pool(&program, pool, 1000, stream).1;
    ok!(program, stream_synchronize(stream));
    let (context, of_pool, host) =
        (program.context.addr() as u64, pool.addr() as u64, locked.pointer.expose_provenance() as u64);
    let none = Err(Status::INVALID_VALUE);
    for (base, kind, host_too, context, unified, pool, ipc) in [
        (plain, 2, false, context, 0, 0, 1),
        (pooled, 2, false, 0, 0, of_pool, 0),
        (managed, 2, true, context, 1, 0, 0),
        (host, 1, true, context, 0, 0, 0),
    ] {
        for address in [base, base + 10, base + 999] {
            let expected = [
                (POINTER_CONTEXT, Ok(context)),
                (POINTER_MEMORY_TYPE, Ok(kind)),
                (POINTER_DEVICE_POINTER, Ok(address)),
                (POINTER_HOST_POINTER, if host_too { Ok(address) } else { none }),
                (POINTER_SYNC_MEMOPS, Ok(unified)),
                (POINTER_IS_MANAGED, Ok(unified)),
                (POINTER_DEVICE_ORDINAL, Ok(0)),
                (POINTER_IS_IPC_CAPABLE, Ok(ipc)),
                (POINTER_RANGE_START, Ok(base)),
                (POINTER_RANGE_SIZE, Ok(1000)),
                (POINTER_MAPPED, Ok(1)),
                (POINTER_HANDLE_TYPES, Ok(0)),
                (POINTER_ACCESS_FLAGS, Ok(3)),
                (POINTER_MEMPOOL_HANDLE, Ok(pool)),
            ];
            for (attribute, value) in expected {
                assert_eq!(ask(&program, attribute, address), value, "attribute {attribute} of {address:#x}");
            }
            assert_ne!(ask(&program, POINTER_BUFFER_ID, address), Ok(0));
            assert_eq!(range(&program, address), Ok((base, 1000)));
        }
    }
    assert_eq!(ask(&program, 0, plain), none);
    assert_eq!(ask(&program, 22, plain), none);
    assert_eq!(call!(program, pointer_attribute(ptr::null_mut(), POINTER_MEMORY_TYPE, plain)), Status::INVALID_VALUE);
    ok!(program, mem_address_range(ptr::null_mut(), ptr::null_mut(), plain));

    ok!(program, context_set_current(ptr::null_mut()));
    assert_eq!(range(&program, plain), Err(Status::INVALID_CONTEXT));
    assert_eq!(ask(&program, POINTER_DEVICE_POINTER, plain), Err(Status::INVALID_CONTEXT));
    assert_eq!(ask(&program, POINTER_MEMORY_TYPE, plain), Ok(2));
    ok!(program, context_set_current(program.context));

    ok!(program, mem_free_async(pooled, stream));
    ok!(program, stream_synchronize(stream));
    ok!(program, mem_free(plain));
    ok!(program, mem_free(managed));
    ok!(program, mem_free_host(locked.pointer));
    let pageable = vec![0_u8; 4096];
    for address in [plain, pooled, 0, pageable.as_ptr().expose_provenance() as u64] {
        for attribute in ATTRIBUTES {
            assert_eq!(ask(&program, attribute, address), none, "attribute {attribute} of {address:#x}");
        }
        assert_eq!(range(&program, address), Err(Status::NOT_FOUND));
    }
    ok!(program, pool_destroy(pool));
    ok!(program, stream_destroy(stream));
}

#[test]
fn an_address_that_is_used_again_has_another_number() {
    let program = program();
    let first = program.alloc(1000);
    let id = ask(&program, POINTER_BUFFER_ID, first);
    ok!(program, mem_free(first));
    let second = program.alloc(1000);
    assert_ne!(ask(&program, POINTER_BUFFER_ID, second), id);
    ok!(program, mem_free(second));
}
