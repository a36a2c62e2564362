//! Bad input and bad days of pools, peers, questions and moves that only simulated devices can have.

use std::panic::{AssertUnwindSafe, catch_unwind};

use memcore::memory::{memcpy_peer, memcpy_peer_async};
use memcore::prelude::*;
use memcore::sim::{CaptureMode, Fault, Sim, SimOptions};
use memcore::{Error, MemoryPool, PoolOptions, Status};

const MIB: usize = 1 << 20;

fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

fn new_pool(context: &Context) -> MemoryPool {
    MemoryPool::new_in(context, PoolOptions::default()).unwrap()
}

#[test]
fn a_device_without_pools_has_none() {
    for options in [SimOptions::default().without_pools(), SimOptions::default().without_symbol("cuMemPoolCreate")] {
        let (sim, context) = open(options);
        let unsupported = Error::Unsupported { what: "a memory pool" };
        assert_eq!(MemoryPool::new_in(&context, PoolOptions::default()).unwrap_err(), unsupported);
        assert_eq!(context.memory_pool(), None);
        // Freed in stream order it is all the same, behind a wait.
        let stream = Stream::new_in(&context).unwrap();
        let dev = device_vec![in &context; 1_u8; MIB].unwrap();
        sim.clear_calls();
        dev.drop_on(&stream).unwrap();
        let calls = sim.calls();
        let at = |entry| calls.iter().position(|call| *call == entry);
        assert!(at("cuStreamSynchronize") < at("cuMemFree_v2") && at("cuMemFree_v2").is_some(), "{calls:?}");
        assert!(sim.finish().is_empty());
    }
}

#[test]
fn a_driver_that_is_too_old_says_what_it_lacks() {
    let lacks = ["cuMemPoolSetAccess", "cuMemPoolGetAccess", "cuCtxEnablePeerAccess", "cuCtxDisablePeerAccess"];
    let options =
        lacks.into_iter().chain(["cuMemcpyPeer"]).fold(SimOptions::default().devices(2), SimOptions::without_symbol);
    let (sim, context) = open(options);
    let other = Context::new(&sim.device(1).unwrap()).unwrap();
    let pool = new_pool(&context);
    let missing = |symbol| Error::MissingSymbol { symbol };
    assert_eq!(pool.allow_access(other.device()), Err(missing("cuMemPoolSetAccess")));
    assert_eq!(pool.access(other.device()), Err(missing("cuMemPoolGetAccess")));
    assert_eq!(context.enable_peer_access(&other), Err(missing("cuCtxEnablePeerAccess")));
    // SAFETY: nothing makes use of the access.
    assert_eq!(unsafe { context.disable_peer_access(&other) }, Err(missing("cuCtxDisablePeerAccess")));
    let _entered = context.enter();
    // SAFETY: without bytes nothing is used.
    assert_eq!(unsafe { memcpy_peer(0, &other, 0, &context, 0) }, Err(missing("cuMemcpyPeer")));
    // Copies between devices go on.
    let (near, mut far) = (device_vec![in &context; 1_u8, 2].unwrap(), device_vec![in &other; 0_u8; 2].unwrap());
    copy!(far <- near).unwrap();
    assert_eq!(far.to_vec().unwrap(), [1, 2]);
    drop((near, far));
    assert!(sim.finish().is_empty());
}

#[test]
fn a_maximum_and_a_device_that_is_full_are_told_apart() {
    let (sim, context) = open(SimOptions::default().memory_bytes(8 * MIB as u64));
    let limited = MemoryPool::new_in(&context, PoolOptions::default().maximum_bytes(2 * MIB)).unwrap();
    let dev = device_vec![in &limited; 0_u8; MIB].unwrap();
    let (operation, maximum) = ("cuMemAllocFromPoolAsync", 2 * MIB as u64);
    let error = DeviceBuffer::<u8>::zeroed_in(&limited, 2 * MIB).unwrap_err();
    let (requested, used) = (2 * MIB as u64, Some(MIB as u64));
    assert_eq!(error, Error::PoolExhausted { operation, requested, used, maximum });
    let text = "is out of memory: 2097152 bytes asked for, of a pool of at most 2097152, of which 1048576 are in use";
    assert_eq!(error.to_string(), format!("{operation} {text}"));
    assert!(error.is_out_of_memory());
    assert_eq!(error.status(), Some(Status::OUT_OF_MEMORY));

    // Within the maximum it is the device that is full.
    let rest = device_vec![in &context; 0_u8; 7 * MIB].unwrap();
    let error = DeviceBuffer::<u8>::zeroed_in(&limited, MIB).unwrap_err();
    let (free, total) = (Some(0), Some(8 * MIB as u64));
    assert_eq!(error, Error::OutOfMemory { operation, requested: MIB as u64, free, total });
    // What the context's own pool keeps is given back for it.
    drop(rest);
    assert_eq!(device_vec![in &limited; 0_u8; MIB].unwrap().len(), MIB);
    drop((dev, limited));
    context.trim(0).unwrap();
    assert_eq!(context.memory_info().unwrap().0, 8 * MIB as u64);
    assert!(sim.finish().is_empty());
}

#[test]
fn too_large_a_maximum() {
    let (sim, context) = open(SimOptions::default());
    let error = MemoryPool::new_in(&context, PoolOptions::default().maximum_bytes(1 << 50)).unwrap_err();
    assert_eq!(error, Error::Driver { operation: "cuMemPoolCreate", status: Status::OUT_OF_MEMORY });
    assert!(sim.finish().is_empty());
}

#[test]
fn operands_of_another_driver_are_refused() {
    let ((sim, context), (other_sim, other)) = (open(SimOptions::default()), open(SimOptions::default()));
    let pool = new_pool(&context);
    assert_eq!(pool.access(other.device()), Err(Error::DifferentDrivers));
    assert_eq!(pool.allow_access(other.device()), Err(Error::DifferentDrivers));
    // SAFETY: it is refused.
    assert_eq!(unsafe { pool.revoke_access(other.device()) }, Err(Error::DifferentDrivers));
    assert_eq!(context.can_access_peer(&other), Err(Error::DifferentDrivers));
    assert_eq!(context.enable_peer_access(&other), Err(Error::DifferentDrivers));
    // SAFETY: it is refused.
    assert_eq!(unsafe { context.disable_peer_access(&other) }, Err(Error::DifferentDrivers));
    let (near, far) = (device_vec![in &pool; 1_u8, 2].unwrap(), device_vec![in &other; 0_u8; 2].unwrap());
    let (from, to) = (near.as_device_ptr().as_raw(), far.as_device_ptr().as_raw());
    let stream = Stream::new_in(&other).unwrap();
    let entered = context.enter();
    // SAFETY: it is refused.
    assert_eq!(unsafe { memcpy_peer(to, &other, from, &context, 2) }, Err(Error::DifferentDrivers));
    // SAFETY: it is refused.
    let queued = unsafe { memcpy_peer_async(to, &other, from, &context, 2, &stream) };
    assert_eq!(queued, Err(Error::DifferentDrivers));
    drop(entered);
    let (error, near) = near.drop_on(&stream).unwrap_err();
    assert_eq!(error, Error::DifferentDrivers);
    assert_eq!(near.to_vec().unwrap(), [1, 2]);
    let unknown = Error::UnknownMemory { address: from };
    assert_eq!(other.pointer_attributes(near.as_device_ptr()).unwrap_err(), unknown);
    drop((near, far, stream, pool));
    assert!(sim.finish().is_empty() && other_sim.finish().is_empty());
}

#[test]
fn a_captured_stream_frees_nothing() {
    let (sim, context) = open(SimOptions::default());
    let mut captured = Stream::new_in(&context).unwrap();
    let dev = device_vec![in &context; 1_u8, 2].unwrap();
    let handle = captured.as_raw();
    let capture = sim.begin_capture(&mut captured, CaptureMode::Relaxed).unwrap();
    // SAFETY: the stream lives, and what is tried on it is refused.
    let stream = unsafe { Stream::borrowed(&context, handle) };
    if let Ok(stream) = stream {
        let (error, dev) = dev.drop_on(&stream).unwrap_err();
        assert_eq!(error, Error::StreamCapturing);
        // SAFETY: it is refused.
        let allocated = unsafe { DeviceBuffer::<u8>::uninitialized_on(&stream, 4) };
        assert_eq!(allocated.unwrap_err(), Error::StreamCapturing);
        assert_eq!(dev.to_vec().unwrap(), [1, 2]);
    }
    assert_eq!(capture.end(), Ok(()));
    drop(captured);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_free_that_fails_gives_the_buffer_back() {
    let fault = Fault::nth("cuMemFreeAsync", 1, Status::UNKNOWN);
    let (sim, context) = open(SimOptions::default().fail(fault));
    let stream = Stream::new_in(&context).unwrap();
    let dev = device_vec![in &context; 7_u8; 10].unwrap();
    let (error, dev) = dev.drop_on(&stream).unwrap_err();
    assert_eq!(error, Error::Driver { operation: "cuMemFreeAsync", status: Status::UNKNOWN });
    assert_eq!(dev.to_vec().unwrap(), [7; 10]);
    dev.drop_on(&stream).unwrap();
    let (error, boxed) = {
        let other = Sim::new(SimOptions::default());
        let other = Context::new(&other.device(0).unwrap()).unwrap();
        device_box![in &context; 5_u32].unwrap().drop_on(&Stream::new_in(&other).unwrap()).unwrap_err()
    };
    assert_eq!((error, boxed.to_value().unwrap()), (Error::DifferentDrivers, 5));
    drop(boxed);
    assert_eq!(context.allocation_statistics().current_count, 0);
    assert_eq!(context.take_drop_errors(), []);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_pool_that_is_not_destroyed_harms_nothing() {
    let (sim, context) = open(SimOptions::default().fail(Fault::nth("cuMemPoolDestroy", 1, Status::UNKNOWN)));
    drop(new_pool(&context));
    let dev = device_vec![in &new_pool(&context); 1_u8; 10].unwrap();
    assert_eq!(dev.to_vec().unwrap(), [1; 10]);
    drop(dev);
    assert!(sim.finish().is_empty());
}

#[test]
fn moves_out_of_range_panic() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let stream = Stream::new().unwrap();
    let mut dev = device_vec![1_u8, 2, 3, 4].unwrap();
    let text = |panic: Box<dyn std::any::Any + Send>| *panic.downcast::<String>().expect("a text");
    let cases = [
        (2..5, 0, "range 2..5 is out of range for a device slice of length 4"),
        (0..3, 2, "3 elements from 2 on are out of range for a device slice of length 4"),
        (4..4, 5, "0 elements from 5 on are out of range for a device slice of length 4"),
        (0..4, usize::MAX, "4 elements from 18446744073709551615 on are out of range for a device slice of length 4"),
    ];
    for (range, to, expected) in cases {
        let moved = catch_unwind(AssertUnwindSafe(|| dev.copy_within(range.clone(), to)));
        assert_eq!(text(moved.unwrap_err()), expected);
        let moved = catch_unwind(AssertUnwindSafe(|| stream.scope(|s| s.lend(&mut dev).copy_within(range, to, s))));
        assert_eq!(text(moved.unwrap_err()), expected);
    }
    assert_eq!(dev.to_vec().unwrap(), [1, 2, 3, 4]);
    drop((dev, stream));
    assert!(sim.finish().is_empty());
}

#[test]
fn a_move_without_room_for_scratch_memory_moves_nothing() {
    let (sim, context) = open(SimOptions::default().memory_bytes(MIB as u64));
    let _entered = context.enter();
    let host: Vec<u8> = (0..MIB).map(|i| (i % 251) as u8).collect();
    let mut dev = DeviceBuffer::from_slice(&host).unwrap();
    let error = dev.copy_within(1.., 0).unwrap_err();
    let (operation, requested) = ("cuMemAllocFromPoolAsync", MIB as u64 - 1);
    assert_eq!(error, Error::OutOfMemory { operation, requested, free: Some(0), total: Some(MIB as u64) });
    assert!(dev.to_vec().unwrap() == host);
    // Without any it works on.
    dev.copy_within(..MIB / 2, MIB / 2).unwrap();
    assert!(dev.to_vec().unwrap()[MIB / 2..] == host[..MIB / 2]);
    drop(dev);
    assert!(sim.finish().is_empty());
}

#[test]
fn closing_a_context_ends_its_peer_access() {
    let (sim, context) = open(SimOptions::default().devices(2));
    let other = Context::new(&sim.device(1).unwrap()).unwrap();
    assert_eq!(context.enable_peer_access(&other), Ok(true));
    drop(other);
    let other = Context::new(&sim.device(1).unwrap()).unwrap();
    assert_eq!(context.enable_peer_access(&other), Ok(true));
    assert_eq!(context.enable_peer_access(&other), Ok(false));
    drop((context, other));
    assert!(sim.finish().is_empty());
}

/// What a pool keeps beside what it is asked for goes back to the device before the device is said to be full.
#[test]
fn a_full_device_has_the_pool_trimmed() {
    let (sim, context) = open(SimOptions::default().memory_bytes(MIB as u64));
    let pool = new_pool(&context);
    drop(DeviceBuffer::<u8>::zeroed_in(&pool, 600 << 10).unwrap());
    sim.clear_calls();
    let dev = DeviceBuffer::<u8>::zeroed_in(&pool, 800 << 10).unwrap();
    assert!(sim.calls().contains(&"cuMemPoolTrimTo"), "{:?}", sim.calls());
    assert_eq!(dev.len(), 800 << 10);
    drop((dev, pool));
    assert!(sim.finish().is_empty());
}

#[test]
fn a_pool_takes_as_much_as_its_maximum() {
    let (_sim, context) = open(SimOptions::default());
    for maximum in [1, 1000, 4096] {
        let options = PoolOptions::default().maximum_bytes(maximum).release_threshold(2048);
        let pool = MemoryPool::new_in(&context, options).unwrap();
        assert_eq!((pool.maximum_bytes(), pool.release_threshold()), (Some(maximum), Ok(2048)));
        assert_eq!(DeviceBuffer::<u8>::zeroed_in(&pool, maximum).unwrap().len(), maximum);
    }
}

/// A move of unified memory that is refused half-way is in flight half-way: no byte moves after the scope has ended.
#[test]
fn a_move_that_is_refused_half_way_is_settled() {
    let waits = |fault: Option<Fault>| {
        let options = fault.into_iter().fold(SimOptions::default(), SimOptions::fail);
        let options = options.fail(Fault::nth("cuMemcpyDtoDAsync_v2", 2, Status(4242)));
        let (sim, context) = open(options);
        let _entered = context.enter();
        let bytes: Vec<u8> = (0..=255).cycle().take(4096).collect();
        let mut unified = UnifiedBuffer::from_slice(&bytes).unwrap();
        let stream = Stream::new().unwrap();
        let waits = sim.calls().iter().filter(|call| **call == "cuStreamSynchronize").count() as u64;
        let result = stream.scope(|s| s.lend(&mut unified).copy_within(..3000, 1000, s));
        assert!(result.is_err());
        let after = unified.to_vec();
        std::thread::sleep(std::time::Duration::from_millis(200));
        assert!(*unified == *after, "bytes moved after the scope had ended");
        waits
    };
    let before = waits(None);
    waits(Some(Fault::sticky("cuStreamSynchronize", before + 1, Status::ILLEGAL_ADDRESS)));
}
