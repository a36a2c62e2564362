//! How an operation is queued and waited for.

use core::ffi::c_void;

use crate::context::{Bound, Exposed, Inner, RawStream, Relaxed, settle};
use crate::driver::Driver;
use crate::driver::ffi::{CUstream, MEMORY_TYPE_HOST, POINTER_MEMORY_TYPE};
use crate::error::{Error, Result, Status};
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
    /// Device memory of the context it runs in.
    Device,
    /// Page-locked memory, or another context's.
    HostVisible,
    /// Host memory of unknown kind: most likely pageable, but it may be part of page-locked memory.
    Host { start: *mut c_void, bytes: usize },
}

/// An operation to be queued.
pub(crate) struct Issue<'o> {
    /// The context of the memory that is written (or read, where host memory is written).
    pub(crate) context: &'o Inner,
    pub(crate) mode: Mode<'o>,
    pub(crate) writes: Writes,
}

impl Issue<'_> {
    /// Queues the operation by `enqueue`, which is called once, and waits for it if so ordered.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`]; [`Error::StreamCapturing`]; the driver's code.
    pub(crate) fn run(self, enqueue: impl FnOnce(&dyn Driver, CUstream) -> Result<()>) -> Result<()> {
        match self.mode {
            Mode::Waited(Order::Now) => {
                let bound = self.context.bind()?;
                let _relaxed = Relaxed::new(bound.driver());
                let context = self.context;
                context.streams().with(bound.driver(), |stream| complete(context, &bound, stream, self.writes, enqueue))
            }
            Mode::Waited(Order::On(stream)) => {
                self.same_driver(stream)?;
                let bound = stream.bind()?;
                let _relaxed = Relaxed::new(bound.driver());
                complete(&stream.context().inner, &bound, stream.raw(), self.writes, enqueue)
            }
            Mode::Raw(stream) => {
                self.same_driver(stream)?;
                let bound = stream.context().inner.bind()?;
                enqueue(bound.driver(), stream.handle())
            }
        }
    }

    fn same_driver(&self, stream: &Stream) -> Result<()> {
        if self.context.same_driver(&stream.context().inner) { Ok(()) } else { Err(Error::DifferentDrivers) }
    }
}

/// Queues and waits. An error of the queueing does not prove that nothing was queued: the wait comes all the same.
fn complete(
    context: &Inner,
    bound: &Bound<'_>,
    stream: &RawStream,
    writes: Writes,
    enqueue: impl FnOnce(&dyn Driver, CUstream) -> Result<()>,
) -> Result<()> {
    let exposes = match writes {
        Writes::Device => false,
        Writes::HostVisible => true,
        Writes::Host { start, bytes } => is_page_locked(bound, start, bytes),
    };
    let queued = enqueue(bound.driver(), stream.handle());
    let exposed = match &queued {
        Ok(()) if exposes => Exposed::HostVisible(stream.ticket(context)),
        // A context that is dead refuses new work, whole.
        _ => Exposed::Nothing,
    };
    let settled = settle(context, stream.handle(), exposed);
    queued.and(settled)
}

/// Whether either end of host memory is page-locked, so that the device may write it after the copy call returned.
///
/// A download into pageable memory returns only when all of it has landed.
fn is_page_locked(bound: &Bound<'_>, start: *mut c_void, bytes: usize) -> bool {
    let is_locked = |address: *mut c_void| {
        let mut kind = 0_u32;
        // SAFETY: this attribute is written as a `u32`, for which `kind` has room; the address is only looked up.
        let status = unsafe {
            bound.driver().pointer_attribute(
                (&raw mut kind).cast(),
                POINTER_MEMORY_TYPE,
                address.expose_provenance() as u64,
            )
        };
        // Memory the driver does not know is pageable; on any other answer assume the worst.
        status != Status::INVALID_VALUE && !(status.is_success() && kind != MEMORY_TYPE_HOST)
    };
    is_locked(start) || is_locked(start.wrapping_byte_add(bytes - 1))
}
