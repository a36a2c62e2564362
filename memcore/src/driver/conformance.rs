//! What the driver's entry points answer at their edges, asked of whichever driver `MEMCORE_DRIVER` names: the simulated
//! device must agree with the hardware.

use core::ffi::c_void;
use core::ptr;
use std::sync::Arc;

use super::ffi::{CUcontext, CUdeviceptr, CUevent, CUstream, POINTER_DEVICE_ORDINAL, POINTER_MEMORY_TYPE};
use super::{Driver, default_driver};
use crate::error::Status;

/// The driver with its first device's primary context current on this thread.
struct Edge {
    driver: Arc<dyn Driver>,
}

impl Edge {
    fn new() -> Self {
        let driver = default_driver().expect("a driver");
        let mut context: CUcontext = ptr::null_mut();
        // SAFETY: `context` is writable for the length of the call; 0 is the first device.
        assert_eq!(unsafe { driver.primary_context_retain(&raw mut context, 0) }, Status::SUCCESS);
        // SAFETY: the context was just retained, and is never released.
        assert_eq!(unsafe { driver.context_set_current(context) }, Status::SUCCESS);
        Self { driver }
    }

    fn allocate(&self, bytes: usize) -> (Status, CUdeviceptr) {
        let mut address = 0;
        // SAFETY: `address` is writable for the length of the call.
        (unsafe { self.driver.mem_alloc(&raw mut address, bytes) }, address)
    }

    fn free(&self, address: CUdeviceptr) -> Status {
        // SAFETY: no pending work uses the memory; a wrong address is answered with a code.
        unsafe { self.driver.mem_free(address) }
    }

    fn upload(&self, address: CUdeviceptr, host: &[u8]) -> Status {
        // SAFETY: `host` is readable for the length of the call; a wrong address is answered with a code.
        unsafe { self.driver.memcpy_htod(address, host.as_ptr().cast(), host.len()) }
    }

    fn stream(&self, flags: u32) -> CUstream {
        let mut stream: CUstream = ptr::null_mut();
        // SAFETY: `stream` is writable for the length of the call.
        assert_eq!(unsafe { self.driver.stream_create(&raw mut stream, flags, 0) }, Status::SUCCESS);
        stream
    }

    fn destroy(&self, stream: CUstream) {
        // SAFETY: the stream is alive and used no more.
        assert_eq!(unsafe { self.driver.stream_destroy(stream) }, Status::SUCCESS);
    }

    fn host_alloc(&self, bytes: usize) -> (Status, *mut c_void) {
        let mut pointer = ptr::null_mut();
        // SAFETY: `pointer` is writable for the length of the call.
        (unsafe { self.driver.mem_host_alloc(&raw mut pointer, bytes, 0) }, pointer)
    }
}

#[test]
fn allocations_of_nothing_and_of_too_much() {
    let edge = Edge::new();
    assert_eq!(edge.allocate(0).0, Status::INVALID_VALUE);
    assert_eq!(edge.allocate(1 << 40).0, Status::OUT_OF_MEMORY);
    let stream = edge.stream(1);
    let mut address = 1;
    // SAFETY: `address` is writable for the length of the call; the stream is alive.
    assert_eq!(unsafe { edge.driver.mem_alloc_async(&raw mut address, 0, stream) }, Status::SUCCESS);
    assert_eq!(address, 0);
    edge.destroy(stream);
    assert_eq!(edge.host_alloc(0).0, Status::SUCCESS);
    // SAFETY: `address` is writable for the length of the call.
    assert_eq!(unsafe { edge.driver.mem_alloc_managed(&raw mut address, 0, 1) }, Status::INVALID_VALUE);
    // SAFETY: as above. `Single` (4) is for attaching to a stream.
    assert_eq!(unsafe { edge.driver.mem_alloc_managed(&raw mut address, 4096, 4) }, Status::INVALID_VALUE);
}

#[test]
fn copies_past_the_end_and_after_the_free() {
    let edge = Edge::new();
    let host = vec![7_u8; 1 << 20];
    let (status, address) = edge.allocate(4096);
    assert_eq!(status, Status::SUCCESS);
    assert_eq!(edge.upload(address, &host[..4096]), Status::SUCCESS);
    assert_eq!(edge.upload(address, &[]), Status::SUCCESS);
    assert_eq!(edge.upload(address, &host[..4097]), Status::INVALID_VALUE);
    assert_eq!(edge.free(address + 256), Status::INVALID_VALUE);
    assert_eq!(edge.free(address), Status::SUCCESS);
    assert_eq!(edge.free(address), Status::INVALID_VALUE);
    assert_eq!(edge.upload(address, &host[..16]), Status::INVALID_VALUE);
    assert_eq!(edge.free(0), Status::SUCCESS);
}

#[test]
fn sets_of_nothing_and_misaligned() {
    let edge = Edge::new();
    let (_, address) = edge.allocate(4096);
    let stream = edge.stream(1);
    // SAFETY: of each call: the memory is alive and what is written lies inside, or the driver refuses.
    unsafe {
        #![allow(clippy::multiple_unsafe_ops_per_block, reason = "one argument for all")]
        assert_eq!(edge.driver.memset_d8_async(address, 1, 0, stream), Status::SUCCESS);
        assert_eq!(edge.driver.memset_d16_async(address + 1, 1, 4, stream), Status::INVALID_VALUE);
        assert_eq!(edge.driver.memset_d32_async(address + 2, 1, 4, stream), Status::INVALID_VALUE);
        assert_eq!(edge.driver.memset_d8(address, 1, 4097), Status::INVALID_VALUE);
        assert_eq!(edge.driver.stream_synchronize(stream), Status::SUCCESS);
    }
    edge.destroy(stream);
    assert_eq!(edge.free(address), Status::SUCCESS);
}

#[test]
fn events_that_were_never_recorded() {
    let edge = Edge::new();
    let mut event: CUevent = ptr::null_mut();
    let mut milliseconds = 0.0;
    // SAFETY: of each call: the out values are writable, the event is alive, and destroyed last.
    unsafe {
        #![allow(clippy::multiple_unsafe_ops_per_block, reason = "one argument for all")]
        assert_eq!(edge.driver.event_create(&raw mut event, 0), Status::SUCCESS);
        assert_eq!(edge.driver.event_query(event), Status::SUCCESS);
        assert_eq!(edge.driver.event_synchronize(event), Status::SUCCESS);
        assert_eq!(edge.driver.event_elapsed_time(&raw mut milliseconds, event, event), Status::INVALID_HANDLE);
        assert_eq!(edge.driver.event_destroy(event), Status::SUCCESS);
    }
}

#[test]
fn pointers_are_known_or_not() {
    let edge = Edge::new();
    let (_, address) = edge.allocate(4096);
    let (status, locked) = edge.host_alloc(4096);
    assert_eq!(status, Status::SUCCESS);
    let pageable = vec![0_u8; 4096];
    let ask = |attribute: u32, address: u64| {
        let mut value = 0_u32;
        // SAFETY: both attributes asked for have four bytes, for which `value` has room.
        let status = unsafe { edge.driver.pointer_attribute((&raw mut value).cast(), attribute, address) };
        (status, value)
    };
    assert_eq!(ask(POINTER_MEMORY_TYPE, address), (Status::SUCCESS, 2));
    assert_eq!(ask(POINTER_MEMORY_TYPE, address + 4095), (Status::SUCCESS, 2));
    assert_eq!(ask(POINTER_MEMORY_TYPE, locked.addr() as u64), (Status::SUCCESS, 1));
    assert_eq!(ask(POINTER_MEMORY_TYPE, pageable.as_ptr().addr() as u64).0, Status::INVALID_VALUE);
    assert_eq!(ask(POINTER_DEVICE_ORDINAL, address), (Status::SUCCESS, 0));
    let (mut base, mut size) = (0, 0);
    // SAFETY: both out values are writable for the length of the call.
    let status = unsafe { edge.driver.mem_address_range(&raw mut base, &raw mut size, address + 100) };
    assert_eq!((status, base, size), (Status::SUCCESS, address, 4096));
    assert_eq!(edge.free(address), Status::SUCCESS);
    // SAFETY: the memory is alive and used no more.
    assert_eq!(unsafe { edge.driver.mem_free_host(locked) }, Status::SUCCESS);
}

#[test]
fn page_locked_memory_is_registered_once() {
    let edge = Edge::new();
    let mut pages = vec![0_u8; 3 * 4096];
    let start = pages.as_mut_ptr().wrapping_add(pages.as_ptr().align_offset(4096)).cast::<c_void>();
    // SAFETY: of each call: the pages are alive until the last one, and used by nothing else.
    unsafe {
        #![allow(clippy::multiple_unsafe_ops_per_block, reason = "one argument for all")]
        assert_eq!(edge.driver.mem_host_unregister(start), Status::HOST_MEMORY_NOT_REGISTERED);
        assert_eq!(edge.driver.mem_host_register(start, 4096, 0), Status::SUCCESS);
        assert_eq!(edge.driver.mem_host_register(start, 4096, 0), Status::HOST_MEMORY_ALREADY_REGISTERED);
        assert_eq!(edge.driver.mem_host_unregister(start), Status::SUCCESS);
    }
}

#[test]
fn the_capture_mode_is_swapped() {
    let edge = Edge::new();
    let mut mode = 2;
    // SAFETY: `mode` is readable and writable for the length of the call.
    assert_eq!(unsafe { edge.driver.exchange_capture_mode(&raw mut mode) }, Status::SUCCESS);
    assert_eq!(mode, 0);
    // SAFETY: as above.
    assert_eq!(unsafe { edge.driver.exchange_capture_mode(&raw mut mode) }, Status::SUCCESS);
    assert_eq!(mode, 2);
}

#[test]
fn null_handles_are_refused() {
    let edge = Edge::new();
    // SAFETY: of each call: the driver answers a null handle with a code.
    unsafe {
        #![allow(clippy::multiple_unsafe_ops_per_block, reason = "one argument for all")]
        assert_eq!(edge.driver.event_query(ptr::null_mut()), Status::INVALID_HANDLE);
        assert_eq!(edge.driver.event_destroy(ptr::null_mut()), Status::INVALID_HANDLE);
        assert_eq!(edge.driver.pool_destroy(ptr::null_mut()), Status::INVALID_VALUE);
    }
}
