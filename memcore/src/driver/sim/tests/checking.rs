//! What the checker finds, where, and how it says it.

use core::ptr;

use super::super::{Order, SimOptions, Violation, ViolationKind};
use super::rig::{Program, Rig, call, ok};
use crate::error::Status;

fn rig() -> Rig {
    Rig::new(SimOptions::default())
}

fn only(violations: &[Violation]) -> &Violation {
    assert_eq!(violations.len(), 1, "{violations:?}");
    &violations[0]
}

#[test]
fn use_after_free_is_named_with_all_places() {
    let rig = rig();
    let made = line!() + 1;
    let dev = rig.alloc(4096);
    let freed = line!() + 1;
    ok!(rig, mem_free(dev));
    let mut out = vec![0u8; 1024];
    let used = line!() + 1;
    let status = call!(rig, memcpy_dtoh(out.as_mut_ptr().cast(), dev + 64, 1024));
    assert_eq!(status, Status::INVALID_VALUE);
    assert_eq!(out, [0; 1024]);
    let violations = rig.check();
    let violation = only(&violations);
    assert_eq!(violation.kind(), ViolationKind::UseAfterFree);
    assert_eq!(violation.place(), (file!(), used));
    assert_eq!(violation.allocated_at(), Some((file!(), made)));
    assert_eq!(violation.freed_at(), Some((file!(), freed)));
    assert_eq!(violation.operation(), "memcpy_dtoh");
    let lines: Vec<_> = violation.to_string().lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "use-after-free: memcpy DtoH of 1024 bytes reads allocation #1 at byte 64, on stream NULL");
    assert!(lines[1].starts_with(&format!("  at         {}:{used}:", file!())), "{}", lines[1]);
    assert!(lines[2].ends_with("   device memory, 4096 bytes"), "{}", lines[2]);
    assert!(lines[3].starts_with("  freed      "), "{}", lines[3]);
    assert!(lines[4].starts_with("  help       "), "{}", lines[4]);
    assert_eq!(lines[5..], ["[kind=use_after_free op=memcpy_dtoh alloc=1 offset=64 len=1024 stream=0]"]);
}

#[test]
fn out_of_bounds_is_found_across_and_past_the_end() {
    let rig = rig();
    let (dev, neighbour, stream) = (rig.alloc(100), rig.alloc(100), rig.stream(1));
    assert_eq!(call!(rig, memset_d8_async(dev + 96, 0, 8, stream)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, memset_d8(dev + 104, 0, 8)), Status::INVALID_VALUE);
    assert_eq!(call!(rig, memcpy_dtod(neighbour, dev, (neighbour - dev) as usize + 1)), Status::INVALID_VALUE);
    let found: Vec<_> = rig.sim.violations().iter().map(ToString::to_string).collect();
    assert_eq!(found.len(), 3);
    assert!(found[0].ends_with("[kind=out_of_bounds op=memset_d8 alloc=1 offset=96 len=8 stream=1]"), "{}", found[0]);
    assert!(found[1].ends_with("[kind=out_of_bounds op=memset_d8 alloc=1 offset=104 len=8 stream=0]"), "{}", found[1]);
    assert!(found[2].contains("alloc=2"), "{}", found[2]);
}

#[test]
fn wrong_frees() {
    use ViolationKind::{DoubleFree as D, InvalidFree as I, UseAfterFree as U};

    let rig = rig();
    let (dev, managed, locked, stream) = (rig.alloc(1024), rig.managed(64), rig.locked(64), rig.stream(1));
    let free = |address| call!(rig, mem_free(address));
    let mut pooled = 0;
    ok!(rig, mem_alloc_async(&mut pooled, 64, stream));
    ok!(rig, mem_free_async(pooled, stream));
    for (status, kind) in [
        (free(dev + 256), ViolationKind::InvalidFree),
        (free(locked.pointer.addr() as u64), ViolationKind::InvalidFree),
        (free(0x1234), ViolationKind::InvalidFree),
        (call!(rig, mem_free_host(ptr::without_provenance_mut(dev as usize))), ViolationKind::InvalidFree),
        (call!(rig, mem_free_host(locked.pointer.wrapping_byte_add(8))), ViolationKind::InvalidFree),
        (call!(rig, mem_free_async(pooled, stream)), ViolationKind::DoubleFree),
        (call!(rig, memset_d8_async(pooled, 0, 1, stream)), ViolationKind::UseAfterFree),
        (free(dev), ViolationKind::Leak),
        (free(dev), ViolationKind::DoubleFree),
        (free(managed), ViolationKind::Leak),
        (free(managed), ViolationKind::DoubleFree),
        (call!(rig, memset_d8(managed, 0, 1)), ViolationKind::UseAfterFree),
        (call!(rig, mem_free_host(locked.pointer)), ViolationKind::Leak),
        (call!(rig, mem_free_host(locked.pointer)), ViolationKind::DoubleFree),
    ] {
        // `Leak` stands for "no violation" here.
        let expected = if kind == ViolationKind::Leak { Status::SUCCESS } else { Status::INVALID_VALUE };
        assert_eq!(status, expected, "{kind}");
    }
    let managed = rig.managed(64);
    assert_eq!(call!(rig, mem_free_async(managed, stream)), Status::NOT_SUPPORTED);
    ok!(rig, mem_free(managed));
    assert_eq!(rig.kinds(), [I, I, I, I, I, D, U, D, D, U, D, I]);
}

#[test]
fn leaks_of_every_kind_are_found_and_stay_usable() {
    let rig = rig();
    let stream = rig.stream(1);
    let mut own = vec![0u8; 64];
    let place = line!() + 1;
    let dev = rig.alloc(64);
    let managed = rig.managed(64);
    let locked = rig.locked(64);
    ok!(rig, mem_host_register(own.as_mut_ptr().cast(), 64, 0));
    let mut pooled = 0;
    ok!(rig, mem_alloc_async(&mut pooled, 64, stream));
    let driver = std::sync::Arc::clone(&rig.driver);
    let violations = rig.check();
    assert!(violations.iter().all(|one| one.kind() == ViolationKind::Leak));
    let operations: Vec<_> = violations.iter().map(Violation::operation).collect();
    assert_eq!(
        operations,
        ["mem_alloc", "mem_alloc_managed", "mem_host_alloc", "mem_host_register", "mem_alloc_async"]
    );
    assert_eq!(violations[0].place(), (file!(), place));
    assert!(violations[0].to_string().ends_with("[kind=leak op=mem_alloc alloc=1 offset=0 len=64]"));
    // The owners remain: everything works, and is freed by them.
    let left = Program::new(driver);
    locked.write(&[1; 64]);
    ok!(left, memcpy_htod(dev, locked.pointer, 64));
    ok!(left, memcpy_htod(managed, locked.pointer, 64));
    // SAFETY: managed memory that is still allocated.
    let seen = unsafe { ptr::with_exposed_provenance::<u8>(managed as usize).read() };
    assert_eq!(seen, 1);
    for address in [dev, managed, pooled] {
        ok!(left, mem_free(address));
    }
    ok!(left, mem_free_host(locked.pointer));
    ok!(left, mem_host_unregister(own.as_mut_ptr().cast()));
}

#[test]
fn host_memory_outlives_the_driver() {
    let rig = rig();
    let (managed, locked) = (rig.managed(64), rig.locked(64));
    let mut own = vec![7u8; 64];
    ok!(rig, mem_host_register(own.as_mut_ptr().cast(), 64, 0));
    drop(rig);
    locked.write(&[3; 64]);
    assert_eq!(locked.read(), [3; 64]);
    assert_eq!(own, [7; 64]);
    // SAFETY: managed memory that was never freed stays mapped.
    unsafe { ptr::with_exposed_provenance_mut::<u8>(managed as usize).write(1) };
}

#[test]
fn a_pool_free_does_not_wait_and_late_work_is_reported() {
    let rig = rig();
    let (stream, host) = (rig.stream(1), rig.locked(4));
    let mut pooled = 0;
    ok!(rig, mem_alloc_async(&mut pooled, 4, stream));
    ok!(rig, memset_d8_async(pooled, 1, 4, stream));
    ok!(rig, memcpy_dtoh_async(host.pointer, pooled, 4, stream));
    ok!(rig, mem_free(pooled));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(host.read(), [super::super::backing::POISON; 4]);
    ok!(rig, mem_free_host(host.pointer));
    assert_eq!(rig.kinds(), [ViolationKind::UseAfterFree], "told once, of the last use");
}

#[test]
fn stream_ordered_memory_in_its_order_is_clean() {
    let rig = rig();
    let (stream, host) = (rig.stream(1), rig.locked(4));
    let mut pooled = 0;
    ok!(rig, mem_alloc_async(&mut pooled, 4, stream));
    ok!(rig, memset_d8_async(pooled, 1, 4, stream));
    ok!(rig, memcpy_dtoh_async(host.pointer, pooled, 4, stream));
    ok!(rig, mem_free_async(pooled, stream));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(host.read(), [1; 4]);
    ok!(rig, mem_free_host(host.pointer));
    assert!(rig.kinds().is_empty());
}

#[test]
fn calls_are_recorded_by_symbol() {
    let rig = rig();
    rig.sim.clear_calls();
    let dev = rig.alloc(4);
    ok!(rig, memset_d8(dev, 0, 4));
    assert_eq!(call!(rig, mem_free(1)), Status::INVALID_VALUE);
    assert_eq!(rig.sim.calls(), ["cuMemAlloc_v2", "cuMemsetD8_v2", "cuMemFree_v2"]);
}

#[test]
fn managed_memory_without_concurrent_access_is_the_device_s_while_it_works() {
    let rig = Rig::new(SimOptions::default().without_concurrent_managed_access());
    let (dev, managed, stream) = (rig.alloc(64), rig.managed(64), rig.stream(1));
    let byte = ptr::with_exposed_provenance_mut::<u8>(managed as usize);
    // SAFETY: managed memory of this program's; the device is idle.
    unsafe { byte.write_volatile(5) };
    ok!(rig, memset_d8_async(dev, 1, 64, stream)); // has nothing to do with the managed memory
    // SAFETY: as above, but for the device, which is busy: the mistake that is found.
    assert_eq!(unsafe { byte.read_volatile() }, 5);
    assert_eq!(rig.sim.violations().iter().map(Violation::kind).collect::<Vec<_>>(), [ViolationKind::HostInFlight]);
    ok!(rig, stream_synchronize(stream));
    // SAFETY: the device is idle again.
    unsafe { byte.write_volatile(6) };
    ok!(rig, memcpy_dtod_async(dev, managed, 64, stream));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(rig.bytes(dev, 1), [6]);
    ok!(rig, mem_free(dev));
    ok!(rig, mem_free(managed));
    assert_eq!(rig.kinds(), [ViolationKind::HostInFlight]);
}

unsafe extern "C" fn fill(bytes: *mut core::ffi::c_void) {
    // SAFETY: 64 bytes of page-locked memory, which nothing else uses at this place of the stream.
    unsafe { bytes.cast::<u8>().write_bytes(7, 64) };
}

#[test]
fn a_host_function_may_use_memory_between_copies() {
    for order in [Order::Lazy, Order::Eager, Order::Random(1), Order::Random(2), Order::Random(3)] {
        let rig = Rig::new(SimOptions::default().order(order));
        let (dev, locked, stream) = (rig.alloc(64), rig.locked(64), rig.stream(1));
        locked.write(&[1; 64]);
        ok!(rig, memcpy_htod_async(dev, locked.pointer, 64, stream));
        ok!(rig, launch_host_function(stream, Some(fill), locked.pointer));
        ok!(rig, memcpy_htod_async(dev, locked.pointer, 64, stream));
        ok!(rig, launch_host_function(stream, Some(fill), locked.pointer));
        ok!(rig, memcpy_dtoh_async(locked.pointer, dev, 64, stream));
        ok!(rig, stream_synchronize(stream));
        assert_eq!(locked.read(), [7; 64], "{order:?}");
        ok!(rig, mem_free(dev));
        ok!(rig, mem_free_host(locked.pointer));
        assert!(rig.kinds().is_empty(), "{order:?}");
    }
}

#[test]
fn managed_memory_of_the_host_may_be_touched_at_any_time() {
    /// `CU_MEM_ATTACH_HOST`.
    const HOST: u32 = 2;

    let rig = Rig::new(SimOptions::default().without_concurrent_managed_access());
    let (dev, stream, mut managed) = (rig.alloc(64), rig.stream(1), 0);
    ok!(rig, mem_alloc_managed(&mut managed, 64, HOST));
    ok!(rig, memset_d8_async(dev, 1, 64, stream));
    // SAFETY: managed memory that no device uses.
    unsafe { ptr::with_exposed_provenance_mut::<u8>(managed as usize).write_volatile(1) };
    ok!(rig, stream_synchronize(stream));
    ok!(rig, mem_free(dev));
    ok!(rig, mem_free(managed));
    assert!(rig.kinds().is_empty());
}
