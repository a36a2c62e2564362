//! A capture that a test begins, in the place of another library.

use core::fmt;
use core::marker::PhantomData;
use core::mem;
use std::sync::Arc;

use super::Sim;
use crate::driver::ffi::{CAPTURE_MODE_GLOBAL, CAPTURE_MODE_RELAXED, CAPTURE_MODE_THREAD_LOCAL, CUgraph};
use crate::driver::{check, symbol};
use crate::error::{Error, Result};
use crate::stream::Stream;

/// Which calls a [`StreamCapture`] forbids while it goes on, as `CUstreamCaptureMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CaptureMode {
    /// Waits, queries, allocations and frees, on any thread.
    Global,
    /// These, on the thread that captures.
    ThreadLocal,
    /// None.
    Relaxed,
}

/// A stream that is being captured; see [`Sim::begin_capture`]. It ends on the thread that began it.
#[must_use = "the capture ends when it is dropped"]
pub struct StreamCapture<'s> {
    stream: &'s Stream,
    on_this_thread: PhantomData<*const ()>,
}

impl Sim {
    /// Begins to capture a stream, as another library does to make a graph: for tests of code that has to work beside
    /// such a library. memcore refuses work on the stream meanwhile ([`Error::StreamCapturing`]). It is borrowed mutably:
    /// nothing else may use it, or wait for it, a scope for example. Does not wait. Driver function:
    /// `cuStreamBeginCapture_v2`.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{CaptureMode, Sim, SimOptions};
    ///
    /// let sim = Sim::new(SimOptions::default());
    /// let context = Context::new(&sim.device(0)?)?;
    /// let (mut captured, stream) = (Stream::new_in(&context)?, Stream::new_in(&context)?);
    ///
    /// let capture = sim.begin_capture(&mut captured, CaptureMode::Global)?;
    /// assert_eq!(capture.stream().synchronize(), Err(memcore::Error::StreamCapturing));
    /// stream.synchronize()?; // leaves the capture alone
    /// capture.end()?;
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`] for a stream of another driver; the driver's code, such as `ILLEGAL_STATE` where the
    /// stream is being captured already.
    #[track_caller]
    pub fn begin_capture<'s>(&self, stream: &'s mut Stream, mode: CaptureMode) -> Result<StreamCapture<'s>> {
        let context = &stream.context().inner;
        if !Arc::ptr_eq(&self.driver(), context.device().driver()) {
            return Err(Error::DifferentDrivers);
        }
        let bound = context.bind()?;
        let mode = match mode {
            CaptureMode::Global => CAPTURE_MODE_GLOBAL,
            CaptureMode::ThreadLocal => CAPTURE_MODE_THREAD_LOCAL,
            CaptureMode::Relaxed => CAPTURE_MODE_RELAXED,
        };
        // SAFETY: the stream is alive and its context bound; the call takes no pointer.
        let status = unsafe { bound.driver().stream_begin_capture(stream.handle(), mode) };
        check(symbol::stream_begin_capture, status)?;
        Ok(StreamCapture { stream, on_this_thread: PhantomData })
    }
}

impl StreamCapture<'_> {
    /// The stream.
    #[must_use]
    pub fn stream(&self) -> &Stream {
        self.stream
    }

    /// Ends the capture and throws the graph away. Does not wait. Driver functions: `cuStreamEndCapture`,
    /// `cuGraphDestroy`.
    ///
    /// # Errors
    ///
    /// The driver's code: `STREAM_CAPTURE_INVALIDATED` where a call invalidated the capture.
    #[track_caller]
    pub fn end(self) -> Result<()> {
        let ended = self.finish();
        mem::forget(self);
        ended
    }

    #[track_caller]
    fn finish(&self) -> Result<()> {
        let bound = self.stream.context().inner.bind()?;
        let mut graph: CUgraph = core::ptr::null_mut();
        // SAFETY: the stream is alive and its context bound; `graph` is writable for the length of the call.
        let status = unsafe { bound.driver().stream_end_capture(self.stream.handle(), &raw mut graph) };
        check(symbol::stream_end_capture, status)?;
        // SAFETY: the graph was just made and nothing uses it.
        check(symbol::graph_destroy, unsafe { bound.driver().graph_destroy(graph) })
    }
}

impl Drop for StreamCapture<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.finish() {
            log::debug!("a capture did not end well: {error}");
        }
    }
}

impl fmt::Debug for StreamCapture<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("StreamCapture").field(self.stream).finish()
    }
}
