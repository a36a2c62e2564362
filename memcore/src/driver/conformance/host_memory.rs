//! Page-locked and registered host memory.

use core::ffi::c_void;
use core::ptr;

use super::super::ffi::{POINTER_IS_MANAGED, POINTER_MEMORY_TYPE, STREAM_NON_BLOCKING};
use super::super::sim::tests::rig::{call, ok};
use super::{Alone, program};
use crate::error::Status;

const PAGE: usize = 4096;

/// Pages of the host's, the first aligned.
struct Pages(Vec<u8>);

impl Pages {
    fn new(count: usize) -> Self {
        Self(vec![1; (count + 1) * PAGE])
    }

    fn at(&mut self, offset: usize) -> *mut c_void {
        let start = self.0.as_mut_ptr();
        start.wrapping_add(start.align_offset(PAGE) + offset).cast()
    }
}

fn device_pointer(program: &Alone, pointer: *mut c_void, flags: u32) -> (Status, u64) {
    let mut address = 5;
    (call!(program, mem_host_device_pointer(&raw mut address, pointer, flags)), address)
}

fn is_known(program: &Alone, pointer: *mut c_void) -> bool {
    let mut kind = 0_u32;
    let address = pointer.expose_provenance() as u64;
    let status = call!(program, pointer_attribute((&raw mut kind).cast(), POINTER_MEMORY_TYPE, address));
    assert!(status.is_success() || status == Status::INVALID_VALUE, "{status}");
    status.is_success()
}

#[test]
fn page_locked_memory_of_every_flag() {
    let program = program();
    let mut pointer = ptr::null_mut();
    for flags in 0..8 {
        ok!(program, mem_host_alloc(&raw mut pointer, 8192, flags));
        let mut said = 0;
        ok!(program, mem_host_flags(&raw mut said, pointer.wrapping_byte_add(100)));
        assert_eq!(said & flags, flags, "{said}");
        // Whatever was asked for: it is mapped, at its own address.
        for offset in [0, 100, 8191] {
            let at = pointer.wrapping_byte_add(offset);
            assert_eq!(device_pointer(&program, at, 0), (Status::SUCCESS, at.expose_provenance() as u64));
        }
        assert_eq!(device_pointer(&program, pointer, 1), (Status::INVALID_VALUE, 0));
        ok!(program, mem_free_host(pointer));
        assert_eq!(device_pointer(&program, pointer, 0), (Status::INVALID_VALUE, 0));
        assert_eq!(call!(program, mem_host_flags(&raw mut said, pointer)), Status::INVALID_VALUE);
    }
    for flags in [8, 16, 32, 64, 1 << 31] {
        assert_eq!(call!(program, mem_host_alloc(&raw mut pointer, 8192, flags)), Status::INVALID_VALUE, "{flags}");
    }
}

#[test]
fn device_pointers_of_other_memory() {
    let program = program();
    let (address, managed, mut pages) = (program.alloc(4096), program.managed(4096), Pages::new(1));
    for other in [
        ptr::null_mut(),
        pages.at(0),
        ptr::with_exposed_provenance_mut(address as usize),
        ptr::with_exposed_provenance_mut(managed as usize),
    ] {
        assert_eq!(device_pointer(&program, other, 0), (Status::INVALID_VALUE, 0));
    }
    ok!(program, mem_free(address));
    ok!(program, mem_free(managed));
}

#[test]
fn registrations_of_every_flag() {
    let (program, mut pages) = (program(), Pages::new(2));
    let start = pages.at(0);
    for flags in 0..16 {
        let status = call!(program, mem_host_register(start, 8192, flags));
        // 4 is for addresses of other devices, and these are memory.
        if flags & 4 != 0 {
            assert_eq!(status, Status::INVALID_VALUE, "{flags}");
            continue;
        }
        assert_eq!(status, Status::SUCCESS, "{flags}");
        let inside = start.wrapping_byte_add(100);
        assert_eq!(device_pointer(&program, inside, 0), (Status::SUCCESS, inside.expose_provenance() as u64));
        ok!(program, mem_host_unregister(start));
        assert_eq!(device_pointer(&program, start, 0), (Status::INVALID_VALUE, 0));
    }
    for flags in [16, 32, 1 << 31] {
        assert_eq!(call!(program, mem_host_register(start, 8192, flags)), Status::INVALID_VALUE, "{flags}");
    }
}

#[test]
fn registrations_of_what_is_no_memory_of_the_program_s() {
    let (program, mut pages) = (program(), Pages::new(2));
    let (address, managed, locked) = (program.alloc(8192), program.managed(8192), program.locked(8192));
    let nowhere: *mut c_void = ptr::without_provenance_mut(0x1_0000);
    for (pointer, bytes) in [
        (pages.at(0), 0),
        (ptr::null_mut(), 4096),
        (pages.at(0), usize::MAX),
        (nowhere, 4096),
        (ptr::with_exposed_provenance_mut(address as usize), 8192),
        (ptr::with_exposed_provenance_mut(managed as usize), 8192),
        (locked.pointer, 8192),
        (locked.pointer.wrapping_byte_add(100), 100),
    ] {
        let status = call!(program, mem_host_register(pointer, bytes, 0));
        assert_eq!(status, Status::INVALID_VALUE, "{bytes} bytes at {pointer:p}");
    }
    for pointer in [
        ptr::null_mut(),
        ptr::with_exposed_provenance_mut(address as usize),
        ptr::with_exposed_provenance_mut(managed as usize),
        locked.pointer,
        locked.pointer.wrapping_byte_add(100),
    ] {
        assert_eq!(call!(program, mem_host_unregister(pointer)), Status::INVALID_VALUE, "{pointer:p}");
    }
    ok!(program, mem_free(address));
    ok!(program, mem_free(managed));
    ok!(program, mem_free_host(locked.pointer));
}

/// Nor is it harmed by the attempt.
#[test]
fn registered_memory_is_not_the_driver_s_to_free() {
    let (program, mut pages) = (program(), Pages::new(2));
    ok!(program, mem_host_register(pages.at(0), 8192, 3));
    for offset in [0, 1, 12, 4096, 8191] {
        assert_eq!(call!(program, mem_free_host(pages.at(offset))), Status::INVALID_VALUE, "{offset}");
        assert!(is_known(&program, pages.at(0)) && is_known(&program, pages.at(8191)));
    }
    ok!(program, mem_host_unregister(pages.at(0)));
    assert_eq!(call!(program, mem_free_host(pages.at(0))), Status::INVALID_VALUE);
}

#[test]
fn registrations_that_overlap() {
    let (program, mut pages) = (program(), Pages::new(4));
    let (registered, not) = (Status::HOST_MEMORY_ALREADY_REGISTERED, Status::HOST_MEMORY_NOT_REGISTERED);
    // Neither end need be a page's, and what else lies on the page is not registered.
    ok!(program, mem_host_register(pages.at(12), 100, 0));
    assert!(is_known(&program, pages.at(12)) && is_known(&program, pages.at(111)));
    assert!(!is_known(&program, pages.at(0)) && !is_known(&program, pages.at(112)));
    for (offset, bytes) in [(12, 100), (12, 200), (12, 50), (100, 100), (0, 20), (0, 4096), (0, 8192), (50, 1)] {
        let status = call!(program, mem_host_register(pages.at(offset), bytes, 0));
        assert_eq!(status, registered, "{bytes} bytes at {offset}");
    }
    for (offset, bytes) in [(200, 100), (0, 12), (4096, 100)] {
        ok!(program, mem_host_register(pages.at(offset), bytes, 0));
        ok!(program, mem_host_unregister(pages.at(offset)));
    }
    assert_eq!(call!(program, mem_host_unregister(pages.at(13))), Status::INVALID_VALUE);
    assert_eq!(call!(program, mem_host_unregister(pages.at(0))), not);
    assert_eq!(call!(program, mem_free_host(pages.at(12))), Status::INVALID_VALUE);
    let address = pages.at(12).expose_provenance() as u64;
    assert_eq!(call!(program, mem_free(address)), Status::INVALID_VALUE);
    ok!(program, mem_host_unregister(pages.at(12)));
    assert_eq!(call!(program, mem_host_unregister(pages.at(12))), not);
    assert_eq!(call!(program, mem_host_unregister(pages.at(8192))), not);
    assert!(!is_known(&program, pages.at(12)));
}

#[test]
fn copies_over_the_end_of_a_registration() {
    let (program, mut pages) = (program(), Pages::new(4));
    let (address, stream) = (program.alloc(8192), program.stream(STREAM_NON_BLOCKING));
    ok!(program, memset_d8(address, 3, 8192));
    ok!(program, context_synchronize());
    ok!(program, mem_host_register(pages.at(0), 8192, 0));
    ok!(program, memcpy_htod_async(address, pages.at(100), 4096, stream));
    let over = pages.at(4096 + 100);
    assert_eq!(call!(program, memcpy_htod_async(address, over, 4096, stream)), Status::INVALID_VALUE);
    assert_eq!(call!(program, memcpy_htod(address, over, 4096)), Status::INVALID_VALUE);
    assert_eq!(call!(program, memcpy_dtoh_async(over, address, 4096, stream)), Status::INVALID_VALUE);
    ok!(program, stream_synchronize(stream));
    assert_eq!(program.bytes(address, 4097)[4095..], [1, 3]);
    // With unified addresses it is the device's too.
    let shared = pages.at(0).expose_provenance() as u64;
    ok!(program, memset_d8_async(shared, 7, 64, stream));
    ok!(program, memcpy_dtod_async(address, shared, 64, stream));
    ok!(program, stream_synchronize(stream));
    assert_eq!(program.bytes(address, 64), [7; 64]);
    let mut managed = 5_u32;
    ok!(program, pointer_attribute((&raw mut managed).cast(), POINTER_IS_MANAGED, shared));
    assert_eq!(managed, 0);
    ok!(program, mem_host_unregister(pages.at(0)));
    assert_eq!(call!(program, memset_d8_async(shared, 7, 64, stream)), Status::INVALID_VALUE);
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(address));
}

#[test]
fn memory_registered_to_be_read() {
    let (program, mut pages) = (program(), Pages::new(2));
    let (address, stream) = (program.alloc(4096), program.stream(STREAM_NON_BLOCKING));
    ok!(program, mem_host_register(pages.at(0), 8192, 8));
    ok!(program, memcpy_htod_async(address, pages.at(0), 4096, stream));
    assert_eq!(call!(program, memcpy_dtoh_async(pages.at(0), address, 4096, stream)), Status::INVALID_VALUE);
    ok!(program, stream_synchronize(stream));
    ok!(program, mem_host_unregister(pages.at(0)));
    ok!(program, memcpy_dtoh(pages.at(0), address, 4096));
    ok!(program, stream_destroy(stream));
    ok!(program, mem_free(address));
}

/// Pages that the host itself may only read can be registered to be read alone.
#[test]
fn pages_that_the_host_only_reads() {
    let program = program();
    let (flags, len) = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, 8192);
    // SAFETY: an anonymous mapping at an address of the system's choosing touches no existing memory.
    let pages = unsafe { libc::mmap(ptr::null_mut(), len, libc::PROT_READ, flags, -1, 0) };
    assert_ne!(pages, libc::MAP_FAILED);
    for flags in 0..3 {
        assert_eq!(call!(program, mem_host_register(pages, len, flags)), Status::INVALID_VALUE, "{flags}");
    }
    ok!(program, mem_host_register(pages, len, 8));
    ok!(program, mem_host_unregister(pages));
    // SAFETY: mapped above, whole, and not used any more.
    assert_eq!(unsafe { libc::munmap(pages, len) }, 0);
}
