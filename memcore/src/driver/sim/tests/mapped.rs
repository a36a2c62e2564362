//! Registered pages that memcore gives to the program and takes back.

use core::ptr;

use super::super::backing::POISON;
use super::super::options::SimOptions;
use super::rig::{Pages, Rig, call, ok};
use crate::driver::sim::ViolationKind;
use crate::error::Status;

fn registered(options: SimOptions) -> (Rig, Pages, u64) {
    let (rig, pages) = (Rig::new(options), Pages::new());
    ok!(rig, mem_host_register(pages.pointer(), 4096, 3));
    let address = pages.pointer().addr() as u64;
    (rig, pages, address)
}

fn note_host_allocation(rig: &Rig, address: u64, bytes: usize, zeros: bool) {
    // SAFETY: the test's own pages, which are mapped until it ends.
    unsafe { rig.driver.note_host_allocation(address, bytes, zeros) };
}

fn note_host_free(rig: &Rig, address: u64) {
    // SAFETY: the test touches them no more, until they are given out or unregistered.
    unsafe { rig.driver.note_host_free(address) };
}

/// The first bytes of pages that are the test's.
fn bytes(pages: &Pages) -> [u8; 16] {
    // SAFETY: open pages of the test's own, which nothing writes at the time.
    unsafe { pages.pointer().cast::<[u8; 16]>().read() }
}

#[test]
fn what_is_given_out_is_poison_or_what_memcore_says() {
    let (rig, pages, address) = registered(SimOptions::default());
    note_host_allocation(&rig, address, 100, true);
    assert_eq!(bytes(&pages), [0; 16]);
    note_host_free(&rig, address);
    note_host_allocation(&rig, address, 200, false);
    assert_eq!(bytes(&pages), [POISON; 16]);
    let mut size = 0_usize;
    ok!(rig, mem_address_range(ptr::null_mut(), &mut size, address));
    assert_eq!(size, 200);
    ok!(rig, mem_host_unregister(pages.pointer()));
    assert_eq!(rig.kinds(), []);
}

#[test]
fn pages_that_are_kept_are_no_memory_of_the_program_s() {
    let (rig, pages, address) = registered(SimOptions::default());
    let (dev, mut size) = (rig.alloc(100), 0_usize);
    note_host_allocation(&rig, address, 100, true);
    ok!(rig, memcpy_htod(dev, pages.pointer(), 100));
    ok!(rig, memset_d8(dev, 7, 100));
    note_host_free(&rig, address);
    note_host_free(&rig, address); // of what is kept already it changes nothing
    assert_eq!(call!(rig, mem_address_range(ptr::null_mut(), &mut size, address)), Status::NOT_FOUND);
    assert_eq!(call!(rig, memcpy_htod(dev, pages.pointer(), 100)), Status::INVALID_VALUE);
    ok!(rig, mem_host_unregister(pages.pointer()));
    // From here on they are the program's own pages.
    ok!(rig, memcpy_htod(dev, pages.pointer(), 100));
    ok!(rig, context_synchronize());
    ok!(rig, mem_free(dev));
    assert_eq!(rig.kinds(), [ViolationKind::UseAfterFree]);
}

#[test]
fn what_is_in_flight_is_told_and_lands_first() {
    for keeps in [true, false] {
        let (rig, pages, address) = registered(SimOptions::default());
        let (dev, stream) = (rig.alloc(100), rig.stream(1));
        ok!(rig, memset_d8(dev, 7, 100));
        ok!(rig, context_synchronize());
        note_host_allocation(&rig, address, 100, true);
        ok!(rig, memcpy_dtoh_async(pages.pointer(), dev, 100, stream));
        if keeps {
            note_host_free(&rig, address);
            note_host_allocation(&rig, address, 100, true);
        }
        ok!(rig, mem_host_unregister(pages.pointer()));
        assert_eq!(bytes(&pages), [7; 16]);
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
        assert_eq!(rig.kinds(), [ViolationKind::HostInFlight], "{keeps}");
    }
}

#[test]
fn the_driver_s_functions_do_not_take_it_for_their_own() {
    let (rig, pages, address) = registered(SimOptions::default());
    note_host_allocation(&rig, address, 4096, true);
    assert_eq!(call!(rig, mem_free_host(pages.pointer())), Status::INVALID_VALUE);
    let again = call!(rig, mem_host_register(pages.pointer(), 4096, 0));
    assert_eq!(again, Status::HOST_MEMORY_ALREADY_REGISTERED);
    note_host_free(&rig, address);
    ok!(rig, mem_host_unregister(pages.pointer()));
    assert_eq!(call!(rig, mem_host_unregister(pages.pointer())), Status::HOST_MEMORY_NOT_REGISTERED);
    let kinds = rig.kinds();
    assert_eq!(kinds, [ViolationKind::InvalidFree, ViolationKind::InvalidFree]);
}

#[test]
fn kept_pages_count_as_locked_until_they_are_unregistered() {
    let (rig, pages, address) = registered(SimOptions::default().host_lock_limit(4096));
    note_host_allocation(&rig, address, 100, true);
    note_host_free(&rig, address);
    let mut pointer = ptr::null_mut();
    assert_eq!(call!(rig, mem_host_alloc(&mut pointer, 1, 0)), Status::OUT_OF_MEMORY);
    ok!(rig, mem_host_unregister(pages.pointer()));
    ok!(rig, mem_host_alloc(&mut pointer, 4096, 0));
    ok!(rig, mem_free_host(pointer));
    assert_eq!(rig.kinds(), []);
}

#[test]
fn with_its_context_a_registration_ends() {
    for keeps in [true, false] {
        let (rig, pages, address) = registered(SimOptions::default());
        note_host_allocation(&rig, address, 100, true);
        if keeps {
            note_host_free(&rig, address);
        }
        ok!(rig, primary_context_release(0));
        let leaks = if keeps { [].as_slice() } else { &[ViolationKind::Leak] };
        // The test's own, whoever has them.
        assert_eq!(bytes(&pages), [0; 16]);
        assert_eq!(rig.kinds(), leaks, "{keeps}");
    }
}
