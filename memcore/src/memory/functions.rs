//! The driver's memory functions with an element type, for programs that manage memory by hand.
//!
//! Each is its driver function and nothing more, but that the current context ([`Context::current`]) is bound for the
//! call and that the copies are complete on return, but for those between devices.

use core::ffi::c_void;

use super::size::bytes_of;
use super::{DeviceCopy, DevicePointer, UnifiedPointer};
use crate::context::{Contents, Context, Relaxed, mapping_owner_of};
use crate::copy::{self, HostKind, Mode, Order};
use crate::driver::ffi::ATTACH_GLOBAL;
use crate::driver::{check, symbol};
use crate::error::Result;
use crate::stream::Stream;

/// Allocates device memory for `count` elements, whose bytes are whatever they are. Does not wait. Driver function:
/// `cuMemAlloc_v2`.
///
/// ```
/// use memcore::memory::{cuda_free, cuda_malloc, memcpy_dtoh, memcpy_htod};
///
/// let (source, mut back) = ([1u32, 2, 3], [0u32; 3]);
/// // SAFETY: the sizes are those of the three memories, all alive; the device's is written before it is read, and
/// // freed once, when nothing uses it.
/// unsafe {
///     let pointer = cuda_malloc::<u32>(3)?;
///     memcpy_htod(pointer.as_raw(), source.as_ptr().cast(), 12)?;
///     memcpy_dtoh(back.as_mut_ptr().cast(), pointer.as_raw(), 12)?;
///     cuda_free(pointer)?;
/// }
/// assert_eq!(back, source);
/// # Ok::<(), memcore::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::SizeOverflow`](crate::Error::SizeOverflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory); the driver's
/// code, `INVALID_VALUE` for no bytes.
///
/// # Safety
///
/// No element is read before it is written. The memory is freed once, by [`cuda_free`].
#[track_caller]
pub unsafe fn cuda_malloc<T: DeviceCopy>(count: usize) -> Result<DevicePointer<T>> {
    let bytes = bytes_of::<T>(count)?;
    let context = Context::current()?.inner;
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    let mut address = 0;
    // SAFETY: `address` is writable for the length of the call.
    let status = unsafe { bound.driver().mem_alloc(&raw mut address, bytes) };
    check(symbol::mem_alloc, status).map_err(|error| context.explain(error, bytes))?;
    Ok(DevicePointer::from_raw(address))
}

/// Allocates device memory for `count` elements in the order of `stream`. Does not wait. Driver function:
/// `cuMemAllocAsync`.
///
/// # Errors
///
/// [`Error::SizeOverflow`](crate::Error::SizeOverflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory); the driver's
/// code. No bytes give a null pointer.
///
/// # Safety
///
/// The memory is used only by work that comes after this in stream order, no element is read before it is written, and
/// it is freed once, by [`cuda_free_async`] or [`cuda_free`].
#[track_caller]
pub unsafe fn cuda_malloc_async<T: DeviceCopy>(stream: &Stream, count: usize) -> Result<DevicePointer<T>> {
    let bytes = bytes_of::<T>(count)?;
    let context = &stream.context().inner;
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    let mut address = 0;
    // SAFETY: `address` is writable for the length of the call; the stream is alive and its context bound.
    let status = unsafe { bound.driver().mem_alloc_async(&raw mut address, bytes, stream.handle()) };
    check(symbol::mem_alloc_async, status).map_err(|error| context.explain(error, bytes))?;
    Ok(DevicePointer::from_raw(address))
}

/// Allocates unified memory for `count` elements, whose bytes are whatever they are. Does not wait. Driver function:
/// `cuMemAllocManaged`.
///
/// # Errors
///
/// [`Error::SizeOverflow`](crate::Error::SizeOverflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory); the driver's
/// code, `INVALID_VALUE` for no bytes, `NOT_SUPPORTED` where the device has no unified memory.
///
/// # Safety
///
/// No element is read before it is written. Where the device has `CONCURRENT_MANAGED_ACCESS` 0 the host uses it only
/// while the device is idle. The memory is freed once, by [`cuda_free_unified`].
#[track_caller]
pub unsafe fn cuda_malloc_unified<T: DeviceCopy>(count: usize) -> Result<UnifiedPointer<T>> {
    let bytes = bytes_of::<T>(count)?;
    let context = Context::current()?.inner;
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    let mut address = 0;
    copy::note_managed_memory();
    // SAFETY: `address` is writable for the length of the call.
    let status = unsafe { bound.driver().mem_alloc_managed(&raw mut address, bytes, ATTACH_GLOBAL) };
    check(symbol::mem_alloc_managed, status).map_err(|error| error.without_device_memory(bytes))?;
    Ok(UnifiedPointer::from_raw(address))
}

/// Allocates page-locked host memory for `count` elements, whose bytes are whatever they are. Driver functions:
/// `cuMemHostAlloc`; from 256 KiB on `cuMemHostRegister_v2`, of pages that are mapped for it, or none where the context keeps
/// such pages, as for [`LockedBuffer`](crate::LockedBuffer). Does not wait, unless memory runs out: then what contexts keep is
/// given back (`cuMemHostUnregister`, which may wait for device work) and the allocation tried again.
///
/// # Errors
///
/// [`Error::SizeOverflow`](crate::Error::SizeOverflow); [`Error::OutOfMemory`](crate::Error::OutOfMemory), also at the
/// limit on locked memory; the driver's code. No bytes give a null pointer.
///
/// # Safety
///
/// No element is read before it is written. The memory is freed once, by [`cuda_free_locked`].
#[doc(alias = "cuda_malloc_host")]
#[track_caller]
pub unsafe fn cuda_malloc_locked<T: DeviceCopy>(count: usize) -> Result<*mut T> {
    let bytes = bytes_of::<T>(count)?;
    let context = Context::current()?.inner;
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    if bytes == 0 {
        return Ok(core::ptr::null_mut());
    }
    let allocated = context.allocate_locked(bytes, 0, Contents::Any);
    let pointer = allocated.map_err(|error| error.without_device_memory(bytes))?;
    Ok(pointer.as_ptr().cast())
}

/// Frees memory from [`cuda_malloc`]. May wait for device work. Driver function: `cuMemFree_v2`.
///
/// # Errors
///
/// The driver's code: `INVALID_VALUE` where no allocation starts at the address. Nothing is freed then.
///
/// # Safety
///
/// Nothing uses the memory any more, pending work included.
#[track_caller]
pub unsafe fn cuda_free<T: DeviceCopy>(pointer: DevicePointer<T>) -> Result<()> {
    let context = Context::current()?.inner;
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    // SAFETY: the caller's contract; a wrong address is answered with a code.
    check(symbol::mem_free, unsafe { bound.driver().mem_free(pointer.as_raw()) })
}

/// Frees memory from [`cuda_malloc_async`] in the order of `stream`. Does not wait. Driver function: `cuMemFreeAsync`.
///
/// # Errors
///
/// The driver's code: `INVALID_VALUE` where no allocation starts at the address. Nothing is freed then.
///
/// # Safety
///
/// All work that uses the memory comes before this in stream order.
#[track_caller]
pub unsafe fn cuda_free_async<T: DeviceCopy>(stream: &Stream, pointer: DevicePointer<T>) -> Result<()> {
    let bound = stream.context().inner.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    // SAFETY: the caller's contract; the stream is alive and its context bound.
    check(symbol::mem_free_async, unsafe { bound.driver().mem_free_async(pointer.as_raw(), stream.handle()) })
}

/// Frees memory from [`cuda_malloc_unified`]. May wait for device work. Driver function: `cuMemFree_v2`.
///
/// # Errors
///
/// As [`cuda_free`].
///
/// # Safety
///
/// As [`cuda_free`].
#[track_caller]
pub unsafe fn cuda_free_unified<T: DeviceCopy>(pointer: UnifiedPointer<T>) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda_free(pointer.as_device_ptr()) }
}

/// Frees memory from [`cuda_malloc_locked`], or from `cuMemHostAlloc`. May wait for device work. Driver functions:
/// `cuMemFreeHost`; from 256 KiB on `cuStreamQuery`, and where the context does not keep the pages `cuMemHostUnregister`.
///
/// # Errors
///
/// The driver's code: `INVALID_VALUE` where no page-locked allocation starts at the address;
/// [`Error::Unsettled`](crate::Error::Unsettled) of large memory, where a wait has failed before. Nothing is freed then.
///
/// # Safety
///
/// Nothing uses the memory any more, pending work included.
#[doc(alias = "cuda_free_host")]
#[track_caller]
pub unsafe fn cuda_free_locked<T: DeviceCopy>(pointer: *mut T) -> Result<()> {
    let context = match mapping_owner_of(pointer.expose_provenance() as u64) {
        Some(context) => context,
        None => Context::current()?.inner,
    };
    let bound = context.bind()?;
    let _relaxed = Relaxed::new(bound.driver());
    // SAFETY: the caller's contract; a wrong address is answered with a code.
    unsafe { context.free_locked(pointer.cast()) }
}

/// Copies `bytes` from the host to device memory of the current context. Complete on return. Driver functions:
/// `cuMemcpyHtoDAsync_v2` on a stream of the context's own, and its wait: `cuMemcpyHtoD_v2` may return before the data
/// has landed.
///
/// # Errors
///
/// The driver's code: `INVALID_VALUE` where the bytes are not all of one live allocation.
///
/// # Safety
///
/// `source` is valid for reads of `bytes`, and nothing else uses the device's bytes during the call.
#[track_caller]
pub unsafe fn memcpy_htod(destination: u64, source: *const c_void, bytes: usize) -> Result<()> {
    let context = Context::current()?.inner;
    // SAFETY: the caller's contract; a wrong device address is answered with a code.
    unsafe { copy::upload(&context, destination, source, HostKind::ByDriver, bytes, Mode::Waited(Order::Now)) }
}

/// Copies `bytes` of device memory of the current context to the host. Complete on return. Driver functions:
/// `cuMemcpyDtoHAsync_v2` on a stream of the context's own, and its wait.
///
/// # Errors
///
/// The driver's code: `INVALID_VALUE` where the bytes are not all of one live allocation.
///
/// # Safety
///
/// `destination` is valid for writes of `bytes`, and nothing else uses them or writes the device's during the call.
#[track_caller]
pub unsafe fn memcpy_dtoh(destination: *mut c_void, source: u64, bytes: usize) -> Result<()> {
    let context = Context::current()?.inner;
    let mode = Mode::Waited(Order::Now);
    // SAFETY: the caller's contract; a wrong device address is answered with a code.
    unsafe { copy::download(&context, destination, HostKind::ByDriver, source, bytes, mode) }
}

/// Copies `bytes` from memory of one device to that of another, or the same. Driver function: `cuMemcpyPeer`.
///
/// Asynchronous for the host, whatever the memory: it returns with the copy pending. On the devices it is serialised
/// with all pending and future work of the current context and of the two that are named; whether that holds of
/// non-blocking streams CUDA does not say, so wait for those. [`memcpy_peer_async`] is serialised with its stream's
/// work alone. The safe [`copy!`](crate::copy) is complete on return.
///
/// ```
/// use memcore::memory::memcpy_peer;
/// use memcore::prelude::*;
/// use memcore::sim::{Sim, SimOptions};
///
/// let sim = Sim::new(SimOptions::default().devices(2));
/// let (here, there) = (Context::new(&sim.device(0)?)?, Context::new(&sim.device(1)?)?);
/// let _entered = here.enter();
/// let (near, far) = (device_vec![in &here; 1u8, 2, 3]?, device_vec![in &there; 0u8; 3]?);
/// let (source, destination) = (near.as_device_ptr().as_raw(), far.as_device_ptr().as_raw());
/// // SAFETY: both have three bytes, which nothing else uses before the wait.
/// unsafe { memcpy_peer(destination, &there, source, &here, 3)? };
/// here.synchronize()?;
/// there.synchronize()?;
/// assert_eq!(far.to_vec()?, [1, 2, 3]);
/// # Ok::<(), memcore::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers) if the contexts are not all of one driver, the current
/// one included; the driver's code: `INVALID_VALUE` where the bytes are not all of one live allocation.
///
/// # Safety
///
/// Until the copy is known to be complete (a wait for the current context and for those two) both sides stay allocated,
/// nothing writes the source, and nothing reads or writes the destination. The addresses lie in the contexts named with
/// them.
#[doc(alias = "copy_array_peer")]
#[track_caller]
pub unsafe fn memcpy_peer(
    destination: u64,
    destination_context: &Context,
    source: u64,
    source_context: &Context,
    bytes: usize,
) -> Result<()> {
    let context = Context::current()?.inner;
    let (to, from) = (&destination_context.inner, &source_context.inner);
    context.require_same_driver(to)?;
    context.require_same_driver(from)?;
    let bound = context.bind()?;
    // SAFETY: the contexts are open; the caller's contract; a wrong address is answered with a code.
    let status = unsafe { bound.driver().memcpy_peer(destination, to.raw(), source, from.raw(), bytes) };
    check(symbol::memcpy_peer, status)
}

/// Copies `bytes` from memory of one device to that of another, or the same, in the order of `stream`. Asynchronous for
/// the host: it returns with the copy pending, and is serialised with the work of `stream` alone. Driver function:
/// `cuMemcpyPeerAsync`.
///
/// ```
/// use memcore::memory::memcpy_peer_async;
/// use memcore::prelude::*;
/// use memcore::sim::{Sim, SimOptions};
///
/// let sim = Sim::new(SimOptions::default().devices(2));
/// let (here, there) = (Context::new(&sim.device(0)?)?, Context::new(&sim.device(1)?)?);
/// let stream = Stream::new_in(&here)?;
/// let (near, far) = (device_vec![in &here; 1u8, 2, 3]?, device_vec![in &there; 0u8; 3]?);
/// let (source, destination) = (near.as_device_ptr().as_raw(), far.as_device_ptr().as_raw());
/// // SAFETY: both have three bytes, which nothing else uses before the wait.
/// unsafe { memcpy_peer_async(destination, &there, source, &here, 3, &stream)? };
/// stream.synchronize()?;
/// assert_eq!(far.to_vec()?, [1, 2, 3]);
/// # Ok::<(), memcore::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers) if the contexts are not all of one driver, the stream's
/// included; the driver's code: `INVALID_VALUE` where the bytes are not all of one live allocation.
///
/// # Safety
///
/// Until the copy is known to be complete (a wait for the stream) both sides stay allocated, nothing writes the source,
/// and nothing reads or writes the destination. The addresses lie in the contexts named with them.
#[doc(alias = "copy_array_peer_async")]
#[track_caller]
pub unsafe fn memcpy_peer_async(
    destination: u64,
    destination_context: &Context,
    source: u64,
    source_context: &Context,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    let context = &stream.context().inner;
    let (to, from) = (&destination_context.inner, &source_context.inner);
    context.require_same_driver(to)?;
    context.require_same_driver(from)?;
    let bound = context.bind()?;
    let (handle, driver) = (stream.handle(), bound.driver());
    // SAFETY: contexts and stream are open; the caller's contract; a wrong address is answered with a code.
    let status = unsafe { driver.memcpy_peer_async(destination, to.raw(), source, from.raw(), bytes, handle) };
    check(symbol::memcpy_peer_async, status)
}

/// Free and total memory of the current device, in bytes. Does not wait. Driver function: `cuMemGetInfo_v2`.
///
/// ```
/// let (free, total) = memcore::memory::mem_get_info()?;
/// assert!(free <= total);
/// # Ok::<(), memcore::Error>(())
/// ```
///
/// # Errors
///
/// The driver's code; what opening the default context fails with.
#[track_caller]
pub fn mem_get_info() -> Result<(usize, usize)> {
    let (free, total) = Context::current()?.memory_info()?;
    Ok((free as usize, total as usize))
}
