//! Streams: queues of device work.

mod foreign;
mod host_function;

use core::ffi::c_void;
use core::fmt;
use std::sync::Arc;

use crate::context::{Bound, Context, Exposed, RawStream, Relaxed, settle};
use crate::driver::ffi::{CAPTURE_NONE, CUstream, STREAM_NON_BLOCKING};
use crate::driver::{check, symbol};
use crate::error::{Error, Result, Status};
use crate::event::Event;

/// A queue of device work: what is queued on one stream runs in order, what is queued on different streams need not.
///
/// The stream is non-blocking (`CU_STREAM_NON_BLOCKING`): the legacy default stream and it do not wait for each other.
///
/// ```
/// use memcore::prelude::*;
///
/// let stream = Stream::new()?;
/// let mut dev = device_vec![0.0f32; 4]?;
/// copy!(dev <- [1.0, 2.0, 3.0, 4.0], stream)?; // ordered on `stream`, complete on return
/// assert_eq!(dev.to_vec()?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct Stream {
    shared: Arc<Shared>,
}

/// A stream, shared by its [`Stream`] and the transfers that are in flight on it.
pub(crate) struct Shared {
    context: Context,
    raw: RawStream,
}

impl Stream {
    /// A stream of the current context. Does not wait. Driver function: `cuStreamCreateWithPriority`.
    ///
    /// # Errors
    ///
    /// The driver's code; what opening the default context fails with.
    #[track_caller]
    pub fn new() -> Result<Self> {
        Self::new_in(&Context::current()?)
    }

    /// A stream of `context`. Does not wait. Driver function: `cuStreamCreateWithPriority`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn new_in(context: &Context) -> Result<Self> {
        Self::with_priority_in(context, 0)
    }

    /// A stream of `context` with a priority: of the work that waits, the device begins that of the lowest number
    /// first. A number past either end of [`Context::stream_priorities`] is taken for the end. Does not wait. Driver
    /// function: `cuStreamCreateWithPriority`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let context = Context::current()?;
    /// let (_least, greatest) = context.stream_priorities()?;
    /// let urgent = Stream::with_priority_in(&context, greatest)?;
    /// # drop(urgent);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn with_priority_in(context: &Context, priority: i32) -> Result<Self> {
        let bound = context.inner.bind()?;
        let raw = RawStream::create(bound.driver(), STREAM_NON_BLOCKING, priority)?;
        Ok(Self::of(context, raw))
    }

    fn of(context: &Context, raw: RawStream) -> Self {
        Self { shared: Arc::new(Shared { context: context.clone(), raw }) }
    }

    /// Waits until everything queued on the stream is done. Driver function: `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::StreamCapturing`]; the driver's code: of the wait, or of earlier asynchronous work that failed. An
    /// error says nothing of whether the work is done; if the wait fails over and over, what is freed in this context
    /// from then on leaks ([`Error::Unsettled`]).
    #[track_caller]
    pub fn synchronize(&self) -> Result<()> {
        let bound = self.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        settle(&self.shared.context.inner, self.handle(), Exposed::Nothing)
    }

    /// Whether everything queued on the stream is done. Does not wait. Driver function: `cuStreamQuery`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// assert!(stream.query()?); // nothing is queued
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::StreamCapturing`]; the driver's code: of the call, or of earlier asynchronous work that failed.
    #[track_caller]
    pub fn query(&self) -> Result<bool> {
        let bound = self.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        // SAFETY: the stream is alive and its context bound.
        match unsafe { bound.driver().stream_query(self.handle()) } {
            Status::NOT_READY => Ok(false),
            status => check(symbol::stream_query, status).map(|()| true),
        }
    }

    /// Marks `event` after everything queued so far; an earlier mark is forgotten. Does not wait. Driver function:
    /// `cuEventRecord`.
    ///
    /// # Errors
    ///
    /// [`Error::StreamCapturing`]; [`Error::DifferentDrivers`]; the driver's code, `INVALID_HANDLE` where the event is
    /// of another context.
    #[track_caller]
    pub fn record(&self, event: &Event) -> Result<()> {
        let bound = self.bind_with(event)?;
        // SAFETY: event and stream are alive, of one driver, and the stream's context is bound.
        check(symbol::event_record, unsafe { bound.driver().event_record(event.raw(), self.handle()) })
    }

    /// Makes what is queued on this stream from now on wait for the event's last mark, if it has one. The host does not
    /// wait. Driver function: `cuStreamWaitEvent`.
    ///
    /// # Errors
    ///
    /// [`Error::StreamCapturing`]; [`Error::DifferentDrivers`]; the driver's code.
    #[track_caller]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        let bound = self.bind_with(event)?;
        // SAFETY: event and stream are alive, of one driver, and the stream's context is bound.
        let status = unsafe { bound.driver().stream_wait_event(self.handle(), event.raw(), 0) };
        check(symbol::stream_wait_event, status)
    }

    /// The stream's context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.shared.context
    }

    /// The driver's handle (`CUstream`), for calls of other libraries. It is valid while the stream lives.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.handle().cast()
    }

    /// Binds the context, unless the stream is being captured: the graph would replay memcore's pointers when they are
    /// dead.
    #[track_caller]
    pub(crate) fn bind(&self) -> Result<Bound<'_>> {
        let bound = self.shared.context.inner.bind()?;
        let mut capturing = CAPTURE_NONE;
        // SAFETY: `capturing` is writable for the length of the call; the stream is alive and its context bound.
        match unsafe { bound.driver().stream_is_capturing(self.handle(), &raw mut capturing) } {
            // A driver without the call knows no capture.
            Status::MISSING_SYMBOL => Ok(bound),
            status => match check(symbol::stream_is_capturing, status) {
                Ok(()) if capturing == CAPTURE_NONE => Ok(bound),
                Ok(()) => Err(Error::StreamCapturing),
                Err(error) => Err(error),
            },
        }
    }

    #[track_caller]
    fn bind_with(&self, event: &Event) -> Result<Bound<'_>> {
        self.shared.context.inner.require_same_driver(&event.context().inner)?;
        self.bind()
    }

    /// Keeps the stream alive beyond this.
    pub(crate) fn share(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }

    pub(crate) fn raw(&self) -> &RawStream {
        &self.shared.raw
    }

    pub(crate) fn handle(&self) -> CUstream {
        self.shared.raw.handle()
    }
}

/// Does not wait: what is still queued runs on (`cuStreamDestroy_v2`).
impl Drop for Shared {
    fn drop(&mut self) {
        let destroyed = self.context.inner.bind().and_then(|bound| {
            let _relaxed = Relaxed::new(bound.driver());
            // SAFETY: the stream is being dropped.
            unsafe { self.raw.destroy(bound.driver()) }
        });
        if let Err(error) = destroyed {
            log::debug!("a stream was not destroyed: {error}");
        }
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stream").field(&self.as_raw()).finish()
    }
}
