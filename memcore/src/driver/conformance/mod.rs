//! What the driver's entry points answer at their edges, asked of whichever driver `MEMCORE_DRIVER` names: the
//! simulated device must agree with the hardware.

mod arrays;
mod blocking;
mod captures;
mod host_functions;
mod host_memory;
mod managed;
mod peers;
mod pitched;
mod pointers;
mod pools;

use core::ffi::c_void;
use core::ops::Deref;
use core::ptr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::default_driver;
use super::ffi::{CUdeviceptr, POINTER_DEVICE_ORDINAL, POINTER_MEMORY_TYPE, STREAM_NON_BLOCKING};
use super::sim::tests::rig::{Program, call, ok};
use crate::error::Status;

/// A program on the driver, one at a time: a capture forbids calls of all threads.
struct Alone {
    program: Program,
    _turn: MutexGuard<'static, ()>,
}

impl Deref for Alone {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

fn program() -> Alone {
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    // The mistakes here are made on purpose: with logging on and no logger, their reports are dropped.
    log::set_max_level(log::LevelFilter::Error);
    Alone { program: Program::in_context(default_driver().expect("a driver")), _turn: turn }
}

#[test]
fn allocations_of_nothing_and_of_too_much() {
    let program = program();
    let (mut address, mut pointer): (CUdeviceptr, *mut c_void) = (1, ptr::null_mut());
    assert_eq!(call!(program, mem_alloc(&raw mut address, 0)), Status::INVALID_VALUE);
    assert_eq!(call!(program, mem_alloc(&raw mut address, 1 << 40)), Status::OUT_OF_MEMORY);
    let stream = program.stream(STREAM_NON_BLOCKING);
    ok!(program, mem_alloc_async(&raw mut address, 0, stream));
    assert_eq!(address, 0);
    ok!(program, stream_destroy(stream));
    ok!(program, mem_host_alloc(&raw mut pointer, 0, 0));
    assert_eq!(call!(program, mem_alloc_managed(&raw mut address, 0, 1)), Status::INVALID_VALUE);
    // `Single` (4) is for attaching to a stream.
    assert_eq!(call!(program, mem_alloc_managed(&raw mut address, 4096, 4)), Status::INVALID_VALUE);
}

#[test]
fn copies_past_the_end_and_after_the_free() {
    let program = program();
    let host = vec![7_u8; 1 << 20];
    let address = program.alloc(4096);
    assert_eq!(program.upload(address, &host[..4096]), Status::SUCCESS);
    assert_eq!(program.upload(address, &[]), Status::SUCCESS);
    assert_eq!(program.upload(address, &host[..4097]), Status::INVALID_VALUE);
    assert_eq!(call!(program, mem_free(address + 256)), Status::INVALID_VALUE);
    ok!(program, mem_free(address));
    assert_eq!(call!(program, mem_free(address)), Status::INVALID_VALUE);
    assert_eq!(program.upload(address, &host[..16]), Status::INVALID_VALUE);
    ok!(program, mem_free(0));
}

#[test]
fn sets_of_nothing_and_misaligned() {
    let program = program();
    let (address, stream) = (program.alloc(4096), program.stream(STREAM_NON_BLOCKING));
    ok!(program, memset_d8_async(address, 1, 0, stream));
    assert_eq!(call!(program, memset_d16_async(address + 1, 1, 4, stream)), Status::INVALID_VALUE);
    assert_eq!(call!(program, memset_d32_async(address + 2, 1, 4, stream)), Status::INVALID_VALUE);
    assert_eq!(call!(program, memset_d8(address, 1, 4097)), Status::INVALID_VALUE);
    ok!(program, stream_synchronize(stream));
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(address));
}

#[test]
fn events_that_were_never_recorded() {
    let program = program();
    let (event, mut milliseconds) = (program.event(), 0.0);
    ok!(program, event_query(event));
    ok!(program, event_synchronize(event));
    let stream = program.stream(STREAM_NON_BLOCKING);
    ok!(program, stream_wait_event(stream, event, 0));
    ok!(program, stream_destroy(stream));
    assert_eq!(call!(program, event_elapsed_time(&raw mut milliseconds, event, event)), Status::INVALID_HANDLE);
    ok!(program, event_destroy(event));
}

#[test]
fn pointers_are_known_or_not() {
    let program = program();
    let (address, locked, pageable) = (program.alloc(4096), program.locked(4096), vec![0_u8; 4096]);
    let ask = |attribute: u32, address: u64| {
        // Both attributes asked for have four bytes.
        let mut value = 0_u32;
        let status = call!(program, pointer_attribute((&raw mut value).cast(), attribute, address));
        (status, value)
    };
    assert_eq!(ask(POINTER_MEMORY_TYPE, address), (Status::SUCCESS, 2));
    assert_eq!(ask(POINTER_MEMORY_TYPE, address + 4095), (Status::SUCCESS, 2));
    assert_eq!(ask(POINTER_MEMORY_TYPE, locked.pointer.addr() as u64), (Status::SUCCESS, 1));
    assert_eq!(ask(POINTER_MEMORY_TYPE, pageable.as_ptr().addr() as u64).0, Status::INVALID_VALUE);
    assert_eq!(ask(POINTER_DEVICE_ORDINAL, address), (Status::SUCCESS, 0));
    let (mut base, mut size) = (0, 0);
    ok!(program, mem_address_range(&raw mut base, &raw mut size, address + 100));
    assert_eq!((base, size), (address, 4096));
    ok!(program, mem_free(address));
    ok!(program, mem_free_host(locked.pointer));
}

#[test]
fn page_locked_memory_is_registered_once() {
    let program = program();
    let mut pages = vec![0_u8; 3 * 4096];
    let start = pages.as_mut_ptr().wrapping_add(pages.as_ptr().align_offset(4096)).cast::<c_void>();
    assert_eq!(call!(program, mem_host_unregister(start)), Status::HOST_MEMORY_NOT_REGISTERED);
    ok!(program, mem_host_register(start, 4096, 0));
    assert_eq!(call!(program, mem_host_register(start, 4096, 0)), Status::HOST_MEMORY_ALREADY_REGISTERED);
    ok!(program, mem_host_unregister(start));
}

#[test]
fn the_capture_mode_is_swapped() {
    let program = program();
    let mut mode = 2;
    ok!(program, exchange_capture_mode(&raw mut mode));
    assert_eq!(mode, 0);
    ok!(program, exchange_capture_mode(&raw mut mode));
    assert_eq!(mode, 2);
}

#[test]
fn null_handles_are_refused() {
    let program = program();
    assert_eq!(call!(program, event_query(ptr::null_mut())), Status::INVALID_HANDLE);
    assert_eq!(call!(program, event_destroy(ptr::null_mut())), Status::INVALID_HANDLE);
    assert_eq!(call!(program, pool_destroy(ptr::null_mut())), Status::INVALID_VALUE);
}
