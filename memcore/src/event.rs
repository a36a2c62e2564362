//! Events: points in the work of a stream that can be waited for and timed.

use core::fmt;
use std::time::Duration;

use crate::context::{Context, Relaxed};
use crate::driver::ffi::{CUevent, Handle};
use crate::driver::{check, symbol};
use crate::error::{Result, Status};

/// A point in the work of a stream.
///
/// [`Stream::record`](crate::Stream::record) marks it; a stream or the host then waits for all work that was queued
/// before the mark. An event that was never recorded counts as reached.
///
/// ```
/// use memcore::prelude::*;
///
/// let (first, second) = (Stream::new()?, Stream::new()?);
/// let event = Event::new()?;
/// first.record(&event)?;
/// second.wait_event(&event)?; // what is queued on `second` from here on comes after the mark
/// second.synchronize()?;
/// assert!(event.query()?);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct Event {
    context: Context,
    raw: Handle<CUevent>,
}

impl Event {
    /// An event that also keeps time, in the current context. Does not wait. Driver function: `cuEventCreate`.
    ///
    /// # Errors
    ///
    /// The driver's code; what opening the default context fails with.
    #[track_caller]
    pub fn new() -> Result<Self> {
        Self::new_in(&Context::current()?)
    }

    /// An event that also keeps time, in `context`. Does not wait. Driver function: `cuEventCreate`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn new_in(context: &Context) -> Result<Self> {
        let bound = context.inner.bind()?;
        let mut raw: CUevent = core::ptr::null_mut();
        // SAFETY: `raw` is writable for the length of the call.
        check(symbol::event_create, unsafe { bound.driver().event_create(&raw mut raw, 0) })?;
        Ok(Self { context: context.clone(), raw: Handle(raw) })
    }

    /// Whether the work before the last mark is done. Does not wait. Driver function: `cuEventQuery`.
    ///
    /// # Errors
    ///
    /// The driver's code: of the call, or of earlier asynchronous work that failed.
    #[track_caller]
    pub fn query(&self) -> Result<bool> {
        let bound = self.context.inner.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        // SAFETY: the event is alive.
        match unsafe { bound.driver().event_query(self.raw.0) } {
            Status::NOT_READY => Ok(false),
            status => check(symbol::event_query, status).map(|()| true),
        }
    }

    /// Waits until the work before the last mark is done. Driver function: `cuEventSynchronize`.
    ///
    /// # Errors
    ///
    /// The driver's code: of the call, or of earlier asynchronous work that failed. An error says nothing of whether
    /// the work is done.
    #[track_caller]
    pub fn synchronize(&self) -> Result<()> {
        let bound = self.context.inner.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        // SAFETY: the event is alive.
        check(symbol::event_synchronize, unsafe { bound.driver().event_synchronize(self.raw.0) })
    }

    /// The device time between two marks (0 if they are in the other order), which the driver keeps to about half a
    /// microsecond. Does not wait. Driver function: `cuEventElapsedTime`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let (stream, start, end) = (Stream::new()?, Event::new()?, Event::new()?);
    /// let mut dev = device_vec![0u8; 1 << 20]?;
    /// stream.record(&start)?;
    /// fill!(dev <- 1, stream)?;
    /// stream.record(&end)?;
    /// end.synchronize()?;
    /// println!("the fill took {:?}", end.elapsed_since(&start)?);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code: `NOT_READY` while the work before either mark is not done, `INVALID_HANDLE` if either was
    /// never recorded; [`Error::DifferentDrivers`](crate::Error::DifferentDrivers).
    #[track_caller]
    pub fn elapsed_since(&self, start: &Self) -> Result<Duration> {
        self.context.inner.require_same_driver(&start.context.inner)?;
        let bound = self.context.inner.bind()?;
        let mut milliseconds = 0.0_f32;
        // SAFETY: `milliseconds` is writable for the length of the call; both events are alive.
        let status = unsafe { bound.driver().event_elapsed_time(&raw mut milliseconds, start.raw.0, self.raw.0) };
        check(symbol::event_elapsed_time, status)?;
        Ok(Duration::from_secs_f64(f64::from(milliseconds.max(0.0)) / 1e3))
    }

    /// The event's context.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.context
    }

    pub(crate) fn raw(&self) -> CUevent {
        self.raw.0
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let destroyed = self.context.inner.bind().and_then(|bound| {
            // SAFETY: the event is alive and used no more; waits that hang on it stay valid.
            check(symbol::event_destroy, unsafe { bound.driver().event_destroy(self.raw.0) })
        });
        if let Err(error) = destroyed {
            log::debug!("an event was not destroyed: {error}");
        }
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Event").field(&self.raw.0).finish()
    }
}
