//! How an operation is queued and waited for.

use core::ffi::c_void;

use super::lane::Lane;
use super::operation::{Operation, Refused};
use super::staged::HostCopy;
use core::sync::atomic::{AtomicBool, Ordering};

use crate::context::{Bound, Inner, Relaxed, is_listed};
use crate::driver::ffi::{CUcontext, CUdeviceptr, POINTER_IS_MANAGED};
use crate::error::{Error, Result};
use crate::stream::Stream;

/// Where an operation runs that is complete on return.
#[derive(Clone, Copy, Debug)]
pub enum Order<'s> {
    /// On a stream of the context's own.
    Now,
    /// On the user's stream, behind what is queued there.
    On(&'s Stream),
}

/// Where an operation runs, and who waits for it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mode<'s> {
    /// The operation itself.
    Waited(Order<'s>),
    /// Whoever calls, who answers for the operands until then.
    Raw(&'s Stream),
}

/// What an operation writes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Writes {
    /// Device memory of the context it runs in, which may be unified.
    Device { dst: CUdeviceptr },
    /// An array of the context it runs in, which the host does not see.
    Array,
    /// Page-locked memory, or another context's.
    HostVisible,
    /// Host memory of unknown kind: most likely pageable, but it may be part of page-locked memory.
    Host { start: *mut c_void, bytes: usize },
}

/// Queues an operation, and waits for it unless the mode is raw. `context` is that of the memory written, or read where
/// host memory is written.
///
/// # Errors
///
/// [`Error::DifferentDrivers`]; [`Error::OtherDevice`]; [`Error::StreamCapturing`]; the driver's code.
///
/// # Safety
///
/// What is read is valid for reads and what is written for writes, by this operation alone: until the call returns, or
/// under [`Mode::Raw`] until it is complete. The two do not overlap, unless it moves.
#[track_caller]
pub(super) unsafe fn issue(context: &Inner, mode: Mode<'_>, writes: Writes, operation: Operation<'_>) -> Result<()> {
    match mode {
        Mode::Waited(Order::Now) => {
            let bound = context.bind()?;
            let _relaxed = Relaxed::new(bound.driver());
            let stream = context.streams().borrow(bound.driver())?;
            let is_alone = stream.is_only_one();
            let lane = Lane { context, bound: &bound, stream: &stream, is_own: true, is_alone };
            // SAFETY: the caller's contract.
            unsafe { complete(&lane, writes, operation) }
        }
        Mode::Waited(Order::On(stream)) => {
            serves(stream, context, &operation)?;
            let bound = stream.bind()?;
            let _relaxed = Relaxed::new(bound.driver());
            let context = &stream.context().inner;
            let lane = Lane { context, bound: &bound, stream: stream.raw(), is_own: false, is_alone: false };
            // SAFETY: the caller's contract.
            unsafe { complete(&lane, writes, operation) }
        }
        Mode::Raw(stream) => {
            serves(stream, context, &operation)?;
            let bound = stream.context().inner.bind()?;
            // SAFETY: the caller's contract.
            unsafe { operation.queue(bound.driver(), stream.handle()) }.map_err(Refused::into_error)
        }
    }
}

/// Binds the stream's context for a single call that works on memory of `context`, and that nobody here waits for.
///
/// # Errors
///
/// As [`issue`].
#[inline]
#[track_caller]
pub(super) fn bind_raw<'s>(stream: &'s Stream, context: &Inner) -> Result<Bound<'s>> {
    let own = &*stream.context().inner;
    if !core::ptr::eq(own, context) {
        same_context(own, context, None)?;
    }
    own.bind()
}

/// Whether the operation can run on the stream: one of the memory's context, or of either context of a peer copy.
fn serves(stream: &Stream, context: &Inner, operation: &Operation<'_>) -> Result<()> {
    let source = match operation {
        Operation::PeerCopy { src_context: source, .. } | Operation::PeerRows { contexts: [_, source], .. } => {
            Some(*source)
        }
        _ => None,
    };
    same_context(&stream.context().inner, context, source)
}

/// Whether a stream of `own` can work on memory of `context`, or of `source`.
fn same_context(own: &Inner, context: &Inner, source: Option<CUcontext>) -> Result<()> {
    context.require_same_driver(own)?;
    if own.raw() == context.raw() || source == Some(own.raw()) {
        return Ok(());
    }
    Err(Error::OtherDevice { stream: own.device().ordinal(), memory: context.device().ordinal() })
}

/// Copies and waits: what is pageable in parts through page-locked memory, and else by the driver.
///
/// # Safety
///
/// As [`Operation::queue`].
#[track_caller]
unsafe fn complete(lane: &Lane<'_>, writes: Writes, operation: Operation<'_>) -> Result<()> {
    let exposes_device = matches!(writes, Writes::Device { dst } if is_managed(lane.bound, dst));
    let copy = HostCopy::of(&operation, lane);
    if let Some(copy) = &copy {
        // SAFETY: the caller's contract.
        if let Some(copied) = unsafe { copy.copy(lane, exposes_device) } {
            return copied;
        }
    }
    let exposes = match writes {
        Writes::Device { .. } => exposes_device,
        Writes::Array => false,
        Writes::HostVisible => true,
        Writes::Host { start, bytes } => is_page_locked(lane.bound, start, bytes),
    };
    // SAFETY: the caller's contract.
    unsafe { lane.run(operation, exposes, copy.is_some()) }
}

/// Whether the process has ever had unified memory: where it has not, no device write is visible to the host.
static HAS_MANAGED: AtomicBool = AtomicBool::new(false);

/// Says that there is unified memory from now on. Called before the memory can be written.
pub(crate) fn note_managed_memory() {
    HAS_MANAGED.store(true, Ordering::Release);
}

/// Whether there has ever been unified memory.
pub(crate) fn has_managed_memory() -> bool {
    HAS_MANAGED.load(Ordering::Acquire)
}

/// Whether device memory is unified, so that the host sees what the device writes.
#[track_caller]
fn is_managed(bound: &Bound<'_>, address: CUdeviceptr) -> bool {
    if !has_managed_memory() {
        return false;
    }
    // SAFETY: this attribute is written as a `u32`.
    let managed = unsafe { bound.pointer_attribute::<u32>(POINTER_IS_MANAGED, address) };
    // On any other answer assume the worst.
    managed != Ok(0)
}

/// Whether either end of host memory is page-locked or unified, so that the device may write it after the copy call
/// returned.
///
/// A download into pageable memory returns only when all of it has landed.
#[track_caller]
fn is_page_locked(bound: &Bound<'_>, start: *mut c_void, bytes: usize) -> bool {
    is_listed(start, bytes) || is_known(bound, start) || is_known(bound, start.wrapping_byte_add(bytes - 1))
}

/// Whether the driver knows host memory. What it does not know is pageable; all else it may write late.
#[track_caller]
fn is_known(bound: &Bound<'_>, address: *mut c_void) -> bool {
    bound.may_know(address.expose_provenance() as u64)
}
