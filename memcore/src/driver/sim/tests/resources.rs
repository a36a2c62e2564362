//! Addresses, bytes, limits and pools.

use core::ptr;

use super::super::backing::POISON;
use super::super::fault::Fault;
use super::super::options::SimOptions;
use super::super::order::Order;
use super::rig::{Rig, call, ok};
use crate::driver::sim::{Sim, ViolationKind};
use crate::error::{Error, Status};

const MIB: usize = 1 << 20;

fn rig() -> Rig {
    Rig::new(SimOptions::default())
}

#[test]
fn fresh_memory_is_poison_also_where_a_part_was_written() {
    let rig = rig();
    let dev = rig.alloc(1 << 30);
    let middle = dev + (300 * MIB as u64) + 17;
    ok!(rig, memset_d8(middle, 1, 3 * MIB));
    let seen = rig.bytes(middle - 2, 3 * MIB + 4);
    let (left, rest) = seen.split_at(2);
    let (written, right) = rest.split_at(3 * MIB);
    assert_eq!((left, right), (&[POISON; 2][..], &[POISON; 2][..]));
    assert!(written.iter().all(|byte| *byte == 1));
    assert_eq!(rig.bytes(dev + (1 << 30) - 3, 3), [POISON; 3]);
}

#[test]
fn fills_repeat_their_value() {
    let rig = rig();
    let dev = rig.alloc(600 << 10);
    ok!(rig, memset_d32(dev, 0x0403_0201, 150 << 10));
    ok!(rig, memset_d16(dev + 2, 0x0605, 1));
    let seen = rig.bytes(dev, 600 << 10);
    assert_eq!(seen.get(..8), Some(&[1, 2, 5, 6, 1, 2, 3, 4][..]));
    assert!(seen.chunks(4).skip(1).all(|chunk| chunk == [1, 2, 3, 4]));
}

#[test]
fn managed_memory_is_one_address_for_both() {
    let rig = rig();
    let (managed, dev, stream) = (rig.managed(5000), rig.alloc(5000), rig.stream(1));
    assert_eq!(rig.driver.reserved_by(managed), Some(0));
    let host: *mut u8 = ptr::with_exposed_provenance_mut(managed as usize);
    // SAFETY: live managed memory, and nothing is queued on it.
    unsafe { host.write_bytes(9, 5000) };
    ok!(rig, memcpy_dtod_async(dev, managed, 5000, stream));
    ok!(rig, memset_d8_async(managed, 2, 5000, stream));
    ok!(rig, stream_synchronize(stream));
    let last = host.wrapping_add(4999);
    // SAFETY: as above.
    assert_eq!(unsafe { last.read() }, 2);
    assert_eq!(rig.bytes(dev, 5000), [9; 5000]);
    ok!(rig, mem_free(managed));
    assert_ne!(rig.managed(5000), managed);
}

#[test]
fn addresses_are_aligned_reserved_and_not_reused() {
    let rig = Rig::new(SimOptions::default().devices(2));
    let mut seen = std::collections::HashSet::new();
    for _ in 0..1000 {
        let dev = rig.alloc(1);
        assert!(dev.is_multiple_of(512) && seen.insert(dev));
        assert_eq!(rig.driver.reserved_by(dev), Some(0));
        ok!(rig, mem_free(dev));
    }
    ok!(rig, context_set_current(rig.retain(1)));
    let elsewhere = rig.alloc(1);
    assert_eq!(rig.driver.reserved_by(elsewhere), Some(1));
    assert_eq!(rig.driver.reserved_by(0), None);
}

#[test]
fn exhausted_addresses_are_reused() {
    let rig = Rig::new(SimOptions::default().memory_bytes(1 << 40));
    let size = 100 << 30;
    let mut first = Vec::new();
    loop {
        let mut dev = 0;
        let status = call!(rig, mem_alloc(&mut dev, size));
        if !status.is_success() {
            assert_eq!(status, Status::OUT_OF_MEMORY);
            break;
        }
        first.push(dev);
    }
    for dev in first.iter().rev() {
        ok!(rig, mem_free(*dev));
    }
    if let Some(last) = first.last() {
        let dev = rig.alloc(size);
        assert!(first.contains(&dev), "{dev:#x} {last:#x}");
        // The address means the new allocation now.
        ok!(rig, memset_d8(dev, 1, 1));
        ok!(rig, context_synchronize());
        ok!(rig, mem_free(dev));
    }
    assert!(rig.kinds().is_empty());
}

#[test]
fn device_memory_is_limited_and_counted() {
    let rig = Rig::new(SimOptions::default().memory_bytes(10 * MIB as u64));
    assert_eq!(rig.free_memory(), (10 * MIB, 10 * MIB));
    let dev = rig.alloc(6 * MIB);
    assert_eq!(rig.free_memory(), (4 * MIB, 10 * MIB));
    assert_eq!(call!(rig, mem_alloc(&mut 0, 5 * MIB)), Status::OUT_OF_MEMORY);
    ok!(rig, mem_free(dev));
    let all = rig.alloc(10 * MIB);
    ok!(rig, mem_free(all));
    assert_eq!(rig.free_memory(), (10 * MIB, 10 * MIB));
}

#[test]
fn page_locked_memory_is_limited() {
    let rig = Rig::new(SimOptions::default().host_lock_limit(100));
    let mut own = [0u8; 64];
    let (mut pointer, host) = (ptr::null_mut(), own.as_mut_ptr().cast());
    let locked = rig.locked(60);
    assert_eq!(call!(rig, mem_host_alloc(&mut pointer, 60, 0)), Status::OUT_OF_MEMORY);
    assert_eq!(call!(rig, mem_host_register(host, 64, 0)), Status::OUT_OF_MEMORY);
    ok!(rig, mem_free_host(locked.pointer));
    ok!(rig, mem_host_register(host, 64, 0));
    ok!(rig, mem_host_unregister(host));
    ok!(rig, mem_host_alloc(&mut pointer, 100, 0));
    ok!(rig, mem_free_host(pointer));
}

#[test]
fn pools_hold_back_what_is_freed_to_them() {
    let rig = Rig::new(SimOptions::default().memory_bytes(10 * MIB as u64));
    let (pool, stream) = (rig.pool(), rig.stream(1));
    let get = |attribute| {
        let mut value = 0u64;
        ok!(rig, pool_get_attribute(pool, attribute, (&raw mut value).cast()));
        value
    };
    let set = |attribute, mut value: u64| call!(rig, pool_set_attribute(pool, attribute, (&raw mut value).cast()));
    let alloc = || {
        let mut address = 0;
        ok!(rig, mem_alloc_from_pool(&mut address, 6 * MIB, pool, stream));
        address
    };
    assert_eq!(set(4, u64::MAX), Status::SUCCESS);
    let dev = alloc();
    ok!(rig, mem_free_async(dev, stream));
    ok!(rig, stream_synchronize(stream));
    let six = 6 * MIB as u64;
    assert_eq!([get(4), get(5), get(6), get(7), get(8)], [u64::MAX, six, six, 0, six]);
    assert_eq!(rig.free_memory().0, 4 * MIB);
    // What it holds back is there for it, and for no one else.
    assert_eq!(call!(rig, mem_alloc(&mut 0, 6 * MIB)), Status::OUT_OF_MEMORY);
    let dev = alloc();
    assert_eq!(call!(rig, mem_alloc_from_pool(&mut 0, 6 * MIB, pool, stream)), Status::OUT_OF_MEMORY);
    ok!(rig, pool_trim(pool, 0));
    assert_eq!(get(5), six, "what is in use stays");
    ok!(rig, stream_synchronize(stream));
    ok!(rig, mem_free(dev));
    ok!(rig, pool_trim(pool, 0));
    assert_eq!((get(5), rig.free_memory().0), (0, 10 * MIB));
    // With the default threshold a wait gives it back.
    assert_eq!(set(4, 0), Status::SUCCESS);
    ok!(rig, mem_free_async(alloc(), stream));
    ok!(rig, context_synchronize());
    assert_eq!(rig.free_memory().0, 10 * MIB);
    assert_eq!(set(8, 0), Status::SUCCESS);
    assert_eq!(get(8), 0);
    for (attribute, value) in [(8, 1), (5, 0), (99, 0)] {
        assert_eq!(set(attribute, value), Status::INVALID_VALUE);
    }
    // A destroyed pool goes when its last memory does, but drivers have crashed on that.
    let dev = alloc();
    ok!(rig, pool_destroy(pool));
    assert_eq!(call!(rig, pool_trim(pool, 0)), Status::INVALID_VALUE);
    assert_eq!(rig.free_memory().0, 4 * MIB);
    ok!(rig, mem_free_async(dev, stream));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(rig.free_memory().0, 10 * MIB);
    assert_eq!(call!(rig, pool_destroy(ptr::null_mut())), Status::INVALID_VALUE);
    assert_eq!(rig.kinds(), [ViolationKind::InvalidFree]);
}

#[test]
fn copies_between_devices() {
    let rig = Rig::new(SimOptions::default().devices(2));
    let (here, stream) = (rig.alloc(4), rig.stream(1));
    let other = rig.retain(1);
    ok!(rig, context_set_current(other));
    let there = rig.alloc(4);
    ok!(rig, memset_d8_async(here, 5, 4, stream));
    ok!(rig, memcpy_peer_async(there, other, here, rig.context, 4, stream));
    ok!(rig, stream_synchronize(stream));
    assert_eq!(rig.bytes(there, 4), [5; 4]);
    let status = call!(rig, memcpy_peer_async(there, ptr::null_mut(), here, rig.context, 4, stream));
    assert_eq!(status, Status::INVALID_CONTEXT);
}

/// The call without a stream is in order with what legacy streams order in both contexts, and with nothing else.
#[test]
fn a_peer_copy_is_in_order_with_both_contexts() {
    for (flags, races) in [(0, false), (1, true)] {
        for is_destination in [false, true] {
            let rig = Rig::new(SimOptions::default().devices(2));
            let (here, other) = (rig.alloc(64), rig.retain(1));
            ok!(rig, memset_d8(here, 1, 64));
            ok!(rig, context_set_current(other));
            let (there, busy) = (rig.alloc(64), rig.stream(flags));
            ok!(rig, memset_d8_async(there, 2, 64, busy));
            ok!(rig, context_set_current(rig.context));
            if is_destination {
                ok!(rig, memcpy_peer(there, other, here, rig.context, 64));
            } else {
                ok!(rig, memcpy_peer(here, rig.context, there, other, 64));
            }
            ok!(rig, context_set_current(other));
            ok!(rig, memset_d8_async(there, 3, 64, busy));
            ok!(rig, stream_synchronize(busy));
            if !races {
                let (far, near) = (rig.bytes(there, 64), rig.bytes(here, 64));
                assert_eq!((far[0], near[0]), (3, if is_destination { 1 } else { 2 }));
            }
            ok!(rig, context_synchronize());
            ok!(rig, mem_free(there));
            ok!(rig, context_set_current(rig.context));
            ok!(rig, context_synchronize());
            ok!(rig, mem_free(here));
            let expected = if is_destination { ViolationKind::WriteAfterWrite } else { ViolationKind::ReadAfterWrite };
            assert_eq!(rig.kinds().first().copied(), races.then_some(expected));
        }
    }
}

#[test]
fn options_come_from_variables() {
    let options = |name: &'static str, value: &'static str| {
        SimOptions::from_variables(move |asked| (asked == name).then(|| value.to_owned()))
    };
    assert_eq!(SimOptions::from_variables(|_| None), Ok(SimOptions::default()));
    assert_eq!(options("MEMCORE_SIM_DEVICES", "3"), Ok(SimOptions::default().devices(3)));
    assert_eq!(options("MEMCORE_SIM_MEMORY", "4096"), Ok(SimOptions::default().memory_bytes(4096)));
    for (value, order) in [("lazy", Order::Lazy), ("eager", Order::Eager), ("random:7", Order::Random(7))] {
        assert_eq!(options("MEMCORE_SIM_ORDER", value), Ok(SimOptions::default().order(order)));
    }
    let without = SimOptions::default().without_pools().without_symbol("cuInit");
    assert_eq!(options("MEMCORE_SIM_WITHOUT", "pools, cuInit"), Ok(without));
    let limited = SimOptions::default().without_managed();
    assert_eq!(options("MEMCORE_SIM_WITHOUT", "managed,concurrent_managed_access"), Ok(limited));
    let faults = [
        Fault::nth("cuInit", 2, Status(3)),
        Fault::every("cuInit", Status(4)),
        Fault::sticky("cuMemFree_v2", 5, Status(700)),
        Fault::deinitialized("cuMemFree_v2", 6),
        Fault::random(7, 8, Status(9)),
        Fault::random_of(["cuInit", "cuMemFree_v2"], 1, 2, Status(3)),
    ];
    for fault in faults {
        let parsed = options("MEMCORE_SIM_FAULTS", fault.to_string().leak());
        assert_eq!(parsed, Ok(SimOptions::default().fail(fault)));
    }
    let two =
        SimOptions::default().fail(Fault::random(1, 2, Status::UNKNOWN)).fail(Fault::every("cuInit", Status(999)));
    assert_eq!(options("MEMCORE_SIM_FAULTS", "random:1:2,every:cuInit"), Ok(two));
    for (name, value) in [
        ("MEMCORE_SIM_DEVICES", "many"),
        ("MEMCORE_SIM_DEVICES", "33"),
        ("MEMCORE_SIM_MEMORY", "-1"),
        ("MEMCORE_SIM_ORDER", "random"),
        ("MEMCORE_SIM_ORDER", ""),
    ] {
        let error = options(name, value);
        assert!(matches!(error, Err(Error::InvalidVariable { variable, .. }) if variable == name), "{error:?}");
    }
    assert!(Sim::from_environment().is_ok());
}
