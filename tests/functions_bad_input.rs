//! Freed, foreign and interior pointers given to the free functions: the driver's code as an error, as an H200 gives it,
//! and nothing lost. The simulated device reports each as a violation.

use core::ffi::c_void;
use core::panic::Location;

use memcore::memory::{
    cuda_free, cuda_free_async, cuda_free_locked, cuda_free_unified, cuda_malloc, cuda_malloc_async,
    cuda_malloc_locked, cuda_malloc_unified, memcpy_dtoh, memcpy_htod,
};
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions, ViolationKind};
use memcore::{Error, Result, Status};

fn open(options: SimOptions) -> (Sim, Context) {
    let sim = Sim::new(options);
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    (sim, context)
}

/// The kinds of the violations so far.
fn kinds(sim: &Sim) -> Vec<ViolationKind> {
    sim.violations().iter().map(memcore::sim::Violation::kind).collect()
}

fn driver<T>(operation: &'static str, status: Status) -> Result<T> {
    Err(Error::Driver { operation, status })
}

/// Makes a call that must be refused with the driver's code, and reported as a violation of this kind.
#[track_caller]
fn refuses(sim: &Sim, operation: &'static str, kind: ViolationKind, call: impl FnOnce() -> Result<()>) {
    let before = kinds(sim).len();
    assert_eq!(call(), driver(operation, Status::INVALID_VALUE));
    assert_eq!(kinds(sim)[before..], [kind]);
}

#[test]
fn device_memory_is_freed_once_and_by_its_start() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let (other_sim, other) = open(SimOptions::default());
    let foreign = device_vec![in &other; 9_u8; 4].unwrap();
    let owned = unified_vec![3_u32; 4].unwrap();
    let locked = locked_vec![4_u32; 4].unwrap();
    let host = [5_u32; 4];
    // SAFETY: written before it is read, and freed below.
    let pointer = unsafe { cuda_malloc::<u32>(4) }.unwrap();
    // SAFETY: as many elements lie there, used by nothing else.
    let slice = unsafe { DeviceBuffer::borrowed(pointer, 4) };
    slice.fill(2).unwrap();

    // SAFETY: of each free: the address is refused.
    let free = |pointer: DevicePointer<u32>| unsafe { cuda_free(pointer) };
    let (double, invalid) = (ViolationKind::DoubleFree, ViolationKind::InvalidFree);
    refuses(&sim, "cuMemFree_v2", invalid, || free(pointer.add(1)));
    refuses(&sim, "cuMemFree_v2", invalid, || free(pointer.add(4)));
    refuses(&sim, "cuMemFree_v2", invalid, || free(owned.as_device_ptr().add(2)));
    refuses(&sim, "cuMemFree_v2", invalid, || free(DevicePointer::from_raw(locked.as_ptr().addr() as u64)));
    refuses(&sim, "cuMemFree_v2", invalid, || free(DevicePointer::from_raw(host.as_ptr().addr() as u64)));
    refuses(&sim, "cuMemFree_v2", invalid, || free(foreign.as_device_ptr().cast()));
    refuses(&sim, "cuMemFree_v2", invalid, || free(DevicePointer::from_raw(0x1000)));
    // None of that lost anything.
    assert_eq!((slice.to_vec().unwrap(), &*owned, &*locked), (vec![2; 4], [3; 4].as_slice(), [4; 4].as_slice()));
    assert_eq!(foreign.to_vec().unwrap(), [9; 4]);
    // SAFETY: nothing uses the memory any more.
    unsafe { cuda_free(pointer) }.unwrap();
    refuses(&sim, "cuMemFree_v2", double, || free(pointer));
    // SAFETY: the address is refused.
    refuses(&sim, "cuMemFree_v2", double, || unsafe {
        cuda_free_unified(UnifiedPointer::<u8>::from_raw(pointer.as_raw()))
    });
    // SAFETY: address 0 has no memory, and its free is none.
    unsafe { cuda_free(DevicePointer::<u8>::null()) }.unwrap();
    assert_eq!(device_vec![1_u8; 8].unwrap().to_vec().unwrap(), [1; 8]);
    drop((owned, locked, foreign));
    // No leak beside what was provoked.
    assert!(sim.finish().iter().all(|one| one.kind() != ViolationKind::Leak));
    assert!(other_sim.finish().is_empty());
}

#[test]
fn memory_in_stream_order_is_freed_once_and_by_its_start() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let stream = Stream::new().unwrap();
    let owned = unified_vec![3_u8; 4].unwrap();
    // SAFETY: freed below, and never read.
    let pointer = unsafe { cuda_malloc_async::<u64>(&stream, 4) }.unwrap();
    // SAFETY: of each free: the address is refused.
    let free = |pointer: DevicePointer<u64>| unsafe { cuda_free_async(&stream, pointer) };
    refuses(&sim, "cuMemFreeAsync", ViolationKind::InvalidFree, || free(pointer.add(1)));
    // Of unified memory an H200 says that the call does not support it.
    assert_eq!(free(owned.as_device_ptr().cast()), driver("cuMemFreeAsync", Status::NOT_SUPPORTED));
    assert_eq!(kinds(&sim).last(), Some(&ViolationKind::InvalidFree));
    // SAFETY: nothing uses the memory.
    unsafe { cuda_free_async(&stream, pointer) }.unwrap();
    // Before the free has run, and after it.
    refuses(&sim, "cuMemFreeAsync", ViolationKind::DoubleFree, || free(pointer));
    stream.synchronize().unwrap();
    refuses(&sim, "cuMemFreeAsync", ViolationKind::DoubleFree, || free(pointer));
    // SAFETY: the address is refused.
    refuses(&sim, "cuMemFree_v2", ViolationKind::DoubleFree, || unsafe { cuda_free(pointer) });
    assert_eq!(*owned, [3; 4]);
    drop((owned, stream));
    assert!(sim.finish().iter().all(|one| one.kind() != ViolationKind::Leak));
}

#[test]
fn host_memory_is_freed_once_and_by_its_start() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let (dev, host) = (device_vec![1_u32; 4].unwrap(), [2_u32; 4]);
    // SAFETY: of each: written before it is read, and freed below.
    let locked = unsafe { cuda_malloc_locked::<u32>(4) }.unwrap();
    // SAFETY: as above.
    let unified = unsafe { cuda_malloc_unified::<u32>(4) }.unwrap();
    for pointer in [locked, unified.as_mut_ptr()] {
        // SAFETY: as many elements lie there, used by nothing else.
        unsafe { pointer.write_bytes(0, 4) };
    }
    // SAFETY: of each free: the address is refused.
    let free_locked = |pointer: *mut u32| unsafe { cuda_free_locked(pointer) };
    // SAFETY: as above.
    let free_unified = |pointer: UnifiedPointer<u32>| unsafe { cuda_free_unified(pointer) };
    let (double, invalid) = (ViolationKind::DoubleFree, ViolationKind::InvalidFree);
    refuses(&sim, "cuMemFreeHost", invalid, || free_locked(locked.wrapping_add(1)));
    refuses(&sim, "cuMemFreeHost", invalid, || free_locked(unified.as_mut_ptr()));
    refuses(&sim, "cuMemFreeHost", invalid, || free_locked(host.as_ptr().cast_mut()));
    refuses(&sim, "cuMemFreeHost", invalid, || {
        free_locked(core::ptr::without_provenance_mut(dev.as_device_ptr().as_raw() as usize))
    });
    refuses(&sim, "cuMemFree_v2", invalid, || free_unified(unified.add(1)));
    refuses(&sim, "cuMemFree_v2", invalid, || free_unified(UnifiedPointer::from_mut_ptr(locked)));
    for pointer in [locked, unified.as_mut_ptr()] {
        // SAFETY: the element lies there, and nothing writes it.
        assert_eq!(unsafe { pointer.wrapping_add(3).read() }, 0);
    }
    assert_eq!((dev.to_vec().unwrap(), host), (vec![1; 4], [2; 4]));
    // SAFETY: nothing uses the memory any more.
    unsafe { cuda_free_locked(locked) }.unwrap();
    // SAFETY: as above.
    unsafe { cuda_free_unified(unified) }.unwrap();
    refuses(&sim, "cuMemFreeHost", double, || free_locked(locked));
    refuses(&sim, "cuMemFree_v2", double, || free_unified(unified));
    drop(dev);
    assert!(sim.finish().iter().all(|one| one.kind() != ViolationKind::Leak));
}

#[test]
fn copies_by_hand_stay_in_live_memory() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    let (mut host, dev) = ([1_u8; 16], device_vec![2_u8; 16].unwrap());
    let address = dev.as_device_ptr().as_raw();
    let source = host;
    // SAFETY: of each copy: the host's side is valid, the device's refused or the buffer's, which nothing else uses.
    let put = |address: u64, bytes: usize| unsafe { memcpy_htod(address, source.as_ptr().cast(), bytes) };
    // SAFETY: as above.
    let mut get =
        |address: u64, bytes: usize| unsafe { memcpy_dtoh(host.as_mut_ptr().cast::<c_void>(), address, bytes) };
    let (up, down) = ("cuMemcpyHtoDAsync_v2", "cuMemcpyDtoHAsync_v2");
    refuses(&sim, up, ViolationKind::OutOfBounds, || put(address + 1, 16));
    refuses(&sim, down, ViolationKind::OutOfBounds, || get(address + 15, 2));
    assert_eq!(get(address, 16), Ok(()));
    assert_eq!(put(address, 4), Ok(()));
    assert_eq!(dev.to_vec().unwrap()[..5], [1, 1, 1, 1, 2]);

    // SAFETY: nothing reads it, and it is freed at once.
    let freed = unsafe { cuda_malloc::<u8>(16) }.unwrap();
    // SAFETY: nothing uses it.
    unsafe { cuda_free(freed) }.unwrap();
    refuses(&sim, up, ViolationKind::UseAfterFree, || put(freed.as_raw(), 16));
    refuses(&sim, down, ViolationKind::UseAfterFree, || get(freed.as_raw(), 1));
    assert_eq!(get(address, 16), Ok(()));
    assert_eq!(host, [1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]);
    drop(dev);
    let last: Vec<_> = sim.finish().iter().map(memcore::sim::Violation::kind).collect();
    assert_eq!(last.len(), 4, "{last:?}");
}

#[test]
fn a_report_names_the_line_that_freed_or_copied() {
    let (sim, context) = open(SimOptions::default());
    let _entered = context.enter();
    // SAFETY: of each call: nothing else uses the memory; the wrong ones are refused.
    let pointer = unsafe { cuda_malloc_unified::<u8>(4) }.unwrap();
    // SAFETY: as above.
    unsafe { cuda_free_unified(pointer) }.unwrap();
    let freed = Location::caller().line() - 1;
    // SAFETY: as above.
    unsafe { cuda_free_unified(pointer) }.unwrap_err();
    let again = Location::caller().line() - 1;
    // SAFETY: as above.
    unsafe { memcpy_htod(pointer.as_raw(), [1_u8].as_ptr().cast(), 1) }.unwrap_err();
    let used = Location::caller().line() - 1;
    let found = sim.finish();
    let places: Vec<_> =
        found.iter().map(|one| (one.kind(), one.place().1, one.freed_at().map(|place| place.1))).collect();
    let expected = [(ViolationKind::DoubleFree, again, Some(freed)), (ViolationKind::UseAfterFree, used, Some(freed))];
    assert_eq!(places, expected);
    assert!(found.iter().all(|one| one.place().0.ends_with("functions_bad_input.rs")));
}
