//! Unified memory, page-locked boxes and variables on bad days, which only a simulated device can have: what is said, that
//! nothing is lost, and that the next operation works.

use core::panic::Location;

use memcore::memory::{
    MemoryAdvise, cuda_free_locked, cuda_free_unified, cuda_malloc, cuda_malloc_async, cuda_malloc_locked,
    cuda_malloc_unified, mem_get_info,
};
use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions, ViolationKind};
use memcore::{Error, Result, Status};

fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

/// How often an entry point was called.
fn count(sim: &Sim, entry: &str) -> usize {
    sim.calls().iter().filter(|call| **call == entry).count()
}

fn driver<T>(operation: &'static str, status: Status) -> Result<T> {
    Err(Error::Driver { operation, status })
}

#[test]
fn a_device_without_unified_memory() {
    let (sim, context) = open(SimOptions::default().without_managed());
    let _entered = context.enter();
    let unsupported = Error::Unsupported { what: "unified memory" };
    assert_eq!(unsupported.to_string(), "unified memory is not supported by this device");
    let refused = [
        unified_vec![1_u32, 2].map(drop),
        unified_vec![1_u32; 10].map(drop),
        UnifiedBuffer::<u32>::zeroed(10).map(drop),
        UnifiedBuffer::<u32>::zeroed_in(&context, 10).map(drop),
        // SAFETY: nothing is made.
        unsafe { UnifiedBuffer::<u32>::uninitialized(10) }.map(drop),
        unified_box![1_u32].map(drop),
        UnifiedBox::<u32>::zeroed().map(drop),
    ];
    assert_eq!(refused, [const { Err(Error::Unsupported { what: "unified memory" }) }; 7]);
    // The driver was not even asked; memory without bytes needs none.
    assert_eq!(count(&sim, "cuMemAllocManaged"), 0);
    assert!(UnifiedBuffer::<u32>::from_slice(&[]).unwrap().is_empty());
    assert_eq!(unified_vec![(); 3].unwrap().len(), 3);
    // By hand it is the driver's own word.
    // SAFETY: nothing is made.
    assert_eq!(unsafe { cuda_malloc_unified::<u8>(8) }, driver("cuMemAllocManaged", Status::NOT_SUPPORTED));
    assert_eq!(*locked_box![3_u8].unwrap(), 3);
    assert_eq!(device_vec![4_u8; 10].unwrap().to_vec().unwrap(), [4; 10]);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_device_that_does_not_share_unified_memory_while_it_works() {
    let (sim, context) = open(SimOptions::default().without_concurrent_managed_access());
    let _entered = context.enter();
    for error in [unified_vec![1_u32, 2].map(drop).unwrap_err(), unified_box![1_u32].map(drop).unwrap_err()] {
        let text = "unified memory that the host may use while the device is busy is not supported by this device";
        assert!(matches!(error, Error::Unsupported { .. }));
        assert_eq!((error.to_string(), error.status()), (text.to_owned(), None));
    }
    assert_eq!(count(&sim, "cuMemAllocManaged"), 0);
    // By hand it can be had: that the host keeps away while the device is busy is then the caller's promise.
    // SAFETY: the host uses it only while the device is idle, and writes before it reads.
    let pointer = unsafe { cuda_malloc_unified::<u32>(4) }.unwrap();
    // SAFETY: as many elements lie there, used by nothing else.
    unsafe { pointer.as_mut_ptr().write_bytes(0, 4) };
    // SAFETY: as above, and the device is done when the call returns.
    unsafe { DeviceBuffer::borrowed(pointer.as_device_ptr(), 4) }.fill(7).unwrap();
    context.synchronize().unwrap();
    // SAFETY: the element lies there, and the device is idle.
    assert_eq!(unsafe { pointer.add(3).as_ptr().read() }, 7);
    // SAFETY: nothing uses it any more.
    unsafe { cuda_free_unified(pointer) }.unwrap();
    assert!(sim.finish().is_empty());
}

#[test]
fn unified_memory_runs_out() {
    let fault = Fault::nth("cuMemAllocManaged", 2, Status::OUT_OF_MEMORY);
    let (sim, context) = open(SimOptions::default().fail(fault));
    let _entered = context.enter();
    let kept = unified_vec![1_u8; 1000].unwrap();
    let error = unified_vec![2_u16; 1000].unwrap_err();
    // Pages move to the host when the device is full: how much it has does not matter, and is not said.
    let expected = Error::OutOfMemory { operation: "cuMemAllocManaged", requested: 2000, free: None, total: None };
    assert_eq!(error, expected);
    assert_eq!(error.to_string(), "cuMemAllocManaged is out of memory: 2000 bytes asked for");
    assert_eq!(unified_vec![2_u16; 1000].unwrap()[999], 2);
    assert_eq!(kept[999], 1);
    drop(kept);
    assert!(sim.finish().is_empty());
}

#[test]
fn the_limit_on_page_locked_memory() {
    let (sim, context) = open(SimOptions::default().host_lock_limit(4096));
    let _entered = context.enter();
    let kept = locked_box![[1_u8; 3000]].unwrap();
    let error = locked_box![[2_u8; 3000]].unwrap_err();
    assert!(error.is_out_of_memory());
    assert_eq!(error.to_string(), "cuMemHostAlloc is out of memory: 3000 bytes asked for");
    // SAFETY: nothing is made.
    assert_eq!(unsafe { cuda_malloc_locked::<[u8; 3000]>(1) }, Err(error));
    assert_eq!(*locked_box![3_u8].unwrap(), 3);
    assert_eq!(kept[2999], 1);
    drop(kept);
    assert_eq!(locked_box![[4_u8; 4096]].unwrap()[4095], 4);
    // SAFETY: nothing reads it, and it is freed at once.
    let pointer = unsafe { cuda_malloc_locked::<u8>(4096) }.unwrap();
    // SAFETY: nothing uses it.
    unsafe { cuda_free_locked(pointer) }.unwrap();
    assert!(sim.finish().is_empty());
}

#[test]
fn a_missing_symbol_is_an_error_of_that_call_only() {
    type Call = fn(&Stream) -> Result<()>;
    let calls: [(&str, Call); 6] = [
        ("cuMemPrefetchAsync", |stream| unified_vec![1_u8; 4]?.prefetch_host(stream)),
        ("cuMemAdvise", |_| unified_box![1_u8]?.advise_read_mostly(true)),
        ("cuMemAllocManaged", |_| unified_vec![1_u8; 4].map(drop)),
        ("cuMemAllocAsync", |stream| {
            // SAFETY: nothing reads it; no bytes need no free.
            unsafe { cuda_malloc_async::<u8>(stream, 0) }.map(drop)
        }),
        ("cuMemGetInfo_v2", |_| mem_get_info().map(drop)),
        ("cuMemsetD32Async", |stream| {
            let mut dev = device_vec![0_u32; 4]?;
            // SAFETY: nothing else uses the memory until the wait.
            unsafe { dev.set_32_async(0x0102_0304, stream)? };
            stream.synchronize()
        }),
    ];
    for (symbol, call) in calls {
        let (sim, context) = open(SimOptions::default().without_symbol(symbol));
        let _entered = context.enter();
        let stream = Stream::new().unwrap();
        let error = call(&stream).unwrap_err();
        assert_eq!(error, Error::MissingSymbol { symbol });
        let text = format!("the CUDA driver has no function {symbol}: it is too old for this call");
        assert_eq!((error.to_string(), error.status()), (text, None));
        // Without unified memory there is nothing to move or to advise about.
        let needs_it =
            |other: &str| symbol == "cuMemAllocManaged" && ["cuMemPrefetchAsync", "cuMemAdvise"].contains(&other);
        for (_, other) in calls.into_iter().filter(|(other, _)| *other != symbol && !needs_it(other)) {
            other(&stream).unwrap();
        }
        assert_eq!(context.take_drop_errors(), []);
        drop(stream);
        assert!(sim.finish().is_empty(), "{symbol}");
    }
}

#[test]
fn places_of_another_driver_are_refused() {
    let ((sim, context), (other_sim, other)) = (open(SimOptions::default()), open(SimOptions::default()));
    let _entered = context.enter();
    let (stream, other_stream) = (Stream::new().unwrap(), Stream::new_in(&other).unwrap());
    let (unified, boxed) = (unified_vec![1_u32; 10].unwrap(), unified_box![2_u32].unwrap());
    let memories: [&dyn MemoryAdvise; 2] = [&unified, &boxed];
    for memory in memories {
        let refused = [
            memory.prefetch_host(&other_stream),
            memory.prefetch_device(&other_stream, context.device()),
            memory.prefetch_device(&stream, other.device()),
            memory.preferred_location(Some(other.device())),
            memory.advise_accessed_by(Some(other.device()), true),
            memory.advise_accessed_by(Some(other.device()), false),
        ];
        assert_eq!(refused, [const { Err(Error::DifferentDrivers) }; 6]);
    }
    assert_eq!((count(&sim, "cuMemPrefetchAsync"), count(&sim, "cuMemAdvise")), (0, 0));
    let mut dev = device_vec![0_u32; 4].unwrap();
    // SAFETY: of each: refused, so that nothing is queued.
    let refused = unsafe { dev.set_8_async(1, &other_stream) };
    assert_eq!(refused, Err(Error::DifferentDrivers));
    // SAFETY: as above.
    let refused = unsafe { dev.set_32_async(1, &Stream::legacy_in(&other)) };
    assert_eq!(refused, Err(Error::DifferentDrivers));
    unified.prefetch_device(&stream, context.device()).unwrap();
    stream.synchronize().unwrap();
    assert_eq!((unified[9], dev.to_vec().unwrap()), (1, vec![0; 4]));
    drop((unified, boxed, dev, stream, other_stream));
    assert!(sim.finish().is_empty() && other_sim.finish().is_empty());
}

#[test]
fn pages_go_to_any_device_of_the_driver() {
    let (sim, context) = open(SimOptions::default().devices(2));
    let other = Context::new(&sim.device(1).unwrap()).unwrap();
    let _entered = context.enter();
    let mut unified = unified_vec![1_u32; 10].unwrap();
    for stream in [Stream::new().unwrap(), Stream::new_in(&other).unwrap()] {
        unified.prefetch_device(&stream, other.device()).unwrap();
        unified.prefetch_device(&stream, context.device()).unwrap();
        unified.prefetch_host(&stream).unwrap();
        stream.synchronize().unwrap();
    }
    unified.preferred_location(Some(other.device())).unwrap();
    unified.advise_accessed_by(Some(other.device()), true).unwrap();
    let far = device_vec![in &other; 5_u32; 10].unwrap();
    copy!(unified <- far).unwrap();
    assert_eq!(*unified, [5; 10]);
    drop((unified, far, other));
    assert!(sim.finish().is_empty());
}

#[test]
fn a_set_on_a_stream_of_another_device_is_refused_by_name() {
    let (sim, context) = open(SimOptions::default().devices(2));
    let other = Context::new(&sim.device(1).unwrap()).unwrap();
    let (mut dev, stream) = (device_vec![in &context; 1_u8; 4].unwrap(), Stream::new_in(&other).unwrap());
    // SAFETY: refused, so that nothing is queued.
    let refused = unsafe { dev.set_zero_async(&stream) };
    assert_eq!(refused, Err(Error::OtherDevice { stream: 1, memory: 0 }));
    assert_eq!(dev.to_vec().unwrap(), [1; 4]);
    drop((dev, stream));
    assert!(sim.finish().is_empty());
}

#[test]
fn a_failed_free_gives_the_owner_back_or_is_noted() {
    let free = |n| Fault::nth("cuMemFree_v2", n, Status(4242));
    let (sim, context) = open(SimOptions::default().fail(free(1)).fail(free(2)));
    let _entered = context.enter();
    let (error, unified) = unified_vec![7_u8; 4].unwrap().try_free().unwrap_err();
    let refused = Error::Driver { operation: "cuMemFree_v2", status: Status(4242) };
    assert_eq!((error, &*unified), (refused.clone(), [7; 4].as_slice()));
    // Dropped, it fails a second time, which is noted and leaks; a third works.
    let pointer = unified.as_unified_ptr();
    drop(unified);
    assert_eq!(context.take_drop_errors(), [refused]);
    assert_eq!(context.take_drop_errors(), []);
    // SAFETY: the memory that could not be freed is nobody's.
    unsafe { cuda_free_unified(pointer) }.unwrap();
    assert!(sim.finish().is_empty());
}

#[test]
fn a_constructor_that_fails_leaks_nothing() {
    let fault = Fault::nth("cuMemcpyHtoDAsync_v2", 1, Status::UNKNOWN);
    let (sim, context) = open(SimOptions::default().fail(fault));
    let _entered = context.enter();
    assert_eq!(DeviceVariable::new(5_u32).unwrap_err().status(), Some(Status::UNKNOWN));
    assert_eq!(*DeviceVariable::new(6_u32).unwrap(), 6);
    assert_eq!(context.take_drop_errors(), []);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_failed_copy_leaves_a_variable_as_it_was() {
    let (sim, context) =
        open(SimOptions::default().fail(Fault::nth("cuMemcpyHtoDAsync_v2", 2, Status::UNKNOWN)).fail(Fault::nth(
            "cuMemcpyDtoHAsync_v2",
            1,
            Status::UNKNOWN,
        )));
    let _entered = context.enter();
    let mut variable = DeviceVariable::new(5_u32).unwrap();
    *variable = 6;
    assert_eq!(variable.copy_htod().unwrap_err().status(), Some(Status::UNKNOWN));
    assert_eq!(variable.copy_dtoh().unwrap_err().status(), Some(Status::UNKNOWN));
    assert_eq!(*variable, 6);
    variable.copy_dtoh().unwrap();
    assert_eq!(*variable, 5);
    drop(variable);
    assert!(sim.finish().is_empty());
}

#[test]
fn the_legacy_stream_is_never_destroyed() {
    let (sim, context) = open(SimOptions::default());
    let mut dev = device_vec![in &context; 0_u8; 4].unwrap();
    sim.clear_calls();
    for value in 1..4 {
        let legacy = Stream::legacy_in(&context);
        // SAFETY: nothing else uses the memory until the context has been waited for.
        unsafe { dev.set_8_async(value, &legacy) }.unwrap();
    }
    assert_eq!((count(&sim, "cuStreamCreateWithPriority"), count(&sim, "cuStreamDestroy_v2")), (0, 0));
    context.synchronize().unwrap();
    assert_eq!(dev.to_vec().unwrap(), [3; 4]);
    drop(dev);
    assert!(sim.finish().is_empty());
}

#[test]
fn a_report_names_the_line_that_made_the_memory() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let stream = Stream::new().unwrap();
    let mut lines = Vec::new();
    let mut here =
        |offset: u32, location: &Location<'_>| lines.push((location.file().to_owned(), location.line() - offset));
    // Each line leaks; the next one notes where.
    std::mem::forget(unified_vec![1_u8, 2].unwrap());
    here(1, Location::caller());
    std::mem::forget(unified_vec![1_u8; 2].unwrap());
    here(1, Location::caller());
    std::mem::forget(unified_box![1_u8].unwrap());
    here(1, Location::caller());
    std::mem::forget(locked_box![1_u8].unwrap());
    here(1, Location::caller());
    std::mem::forget(UnifiedBuffer::<u8>::zeroed(5).unwrap());
    here(1, Location::caller());
    std::mem::forget(DeviceVariable::new(1_u8).unwrap());
    here(1, Location::caller());
    // SAFETY: of each: nothing reads it.
    let _ = unsafe { cuda_malloc::<u8>(4) }.unwrap();
    here(1, Location::caller());
    // SAFETY: as above.
    let _ = unsafe { cuda_malloc_async::<u8>(&stream, 4) }.unwrap();
    here(1, Location::caller());
    // SAFETY: as above.
    let _ = unsafe { cuda_malloc_unified::<u8>(4) }.unwrap();
    here(1, Location::caller());
    // SAFETY: as above.
    let _ = unsafe { cuda_malloc_locked::<u8>(4) }.unwrap();
    here(1, Location::caller());
    stream.synchronize().unwrap();
    drop(stream);
    let mut found: Vec<_> = sim.finish().iter().map(|one| (one.kind(), one.place())).collect();
    found.sort_by_key(|(_, (_, line))| *line);
    let found: Vec<_> = found.into_iter().map(|(kind, (file, line))| (kind, (file.to_owned(), line))).collect();
    let expected: Vec<_> = lines.into_iter().map(|place| (ViolationKind::Leak, place)).collect();
    assert_eq!(found, expected);
}

/// Everything that unified memory, page-locked boxes and variables do. What is made by hand is freed also on an error.
fn everything(context: &Context) -> Result<()> {
    let stream = Stream::new()?;
    let mut unified = unified_vec![1_u32, 2, 3]?;
    let mut boxed = unified_box![4_u32]?;
    let dev = device_vec![5_u32; 3]?;
    copy!(unified <- dev)?;
    copy!(unified.as_device_slice_mut()[1..] <- dev[1..], stream)?;
    copy!(boxed.as_device_slice_mut() <- [6])?;
    fill!(unified.as_device_slice_mut()[..1] <- 7)?;
    unified.advise_read_mostly(true)?;
    boxed.preferred_location(Some(context.device()))?;
    unified.prefetch_device(&stream, context.device())?;
    boxed.prefetch_host(&stream)?;
    stream.synchronize()?;
    assert_eq!((&*unified, *boxed), ([7, 5, 5].as_slice(), 6));
    let mut locked = locked_box![8_u32]?;
    copy!(locked <- dev[..1])?;
    let mut variable = DeviceVariable::new(*locked)?;
    *variable += 1;
    variable.copy_htod()?;
    variable.copy_dtoh()?;
    assert_eq!(*variable, 6);
    mem_get_info()?;
    // SAFETY: nothing reads it, and it is freed at once.
    unsafe { cuda_free_unified(cuda_malloc_unified_one()?) }?;
    unified.try_free().map_err(|(error, _)| error)?;
    boxed.try_free().map_err(|(error, _)| error)?;
    locked.try_free().map_err(|(error, _)| error)
}

fn cuda_malloc_unified_one() -> Result<UnifiedPointer<u8>> {
    // SAFETY: the caller reads nothing, and frees it.
    unsafe { cuda_malloc_unified(1) }
}

#[test]
fn every_call_may_fail() {
    let (sim, context) = open(SimOptions::default());
    let entered = context.enter();
    everything(&context).unwrap();
    drop(entered);
    let calls = sim.calls();
    assert_eq!((context.take_drop_errors(), kinds_of(sim)), (vec![], vec![]));
    let entries: std::collections::BTreeSet<&str> = calls.iter().copied().collect();
    for entry in ["cuMemAllocManaged", "cuMemPrefetchAsync", "cuMemAdvise", "cuMemFree_v2", "cuDeviceGetAttribute"] {
        assert!(entries.contains(entry), "{entry}");
    }
    for entry in entries {
        let times = calls.iter().filter(|call| **call == entry).count() as u64;
        for (n, status) in (1..=times).flat_map(|n| [Status::OUT_OF_MEMORY, Status(4242)].map(|status| (n, status))) {
            let sim = Sim::new(SimOptions::default().fail(Fault::nth(entry, n, status)));
            // One call fails, once: the second attempt works.
            let open = || sim.device(0).and_then(|device| Context::new(&device));
            let context = open().or_else(|_| open()).unwrap();
            let entered = context.enter();
            let failed = everything(&context).is_err();
            let again = everything(&context);
            assert_eq!(
                (again.is_err() && failed, context.synchronize().is_err() && failed),
                (false, false),
                "{entry} {n}"
            );
            drop(entered);
            let told = context.take_drop_errors().len() + usize::from(failed || again.is_err());
            drop(context);
            let found = kinds_of(sim);
            assert!(found.iter().all(|kind| *kind == ViolationKind::Leak), "{entry} {n} {status}: {found:?}");
            assert!(found.len() <= told, "{entry} {n} {status}: {found:?}, and {told} errors");
        }
    }
}

/// The kinds of all violations, leaks too.
fn kinds_of(sim: Sim) -> Vec<ViolationKind> {
    sim.finish().iter().map(memcore::sim::Violation::kind).collect()
}
