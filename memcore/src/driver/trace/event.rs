//! Events of the tracer's own, and the driver calls about them. Whatever fails, the program is not told.

use core::ffi::c_void;
use core::ptr;
use std::sync::Arc;

use crate::driver::Driver;
use crate::driver::ffi::{CAPTURE_MODE_RELAXED, CAPTURE_NONE, CUcontext, CUevent, CUstream, Handle};
use crate::error::Status;

/// An event, destroyed when it is dropped.
pub(super) struct OwnEvent {
    driver: Arc<dyn Driver>,
    raw: Handle<CUevent>,
}

impl OwnEvent {
    /// An event of the current context, which measures time.
    pub(super) fn new(driver: &Arc<dyn Driver>) -> Option<Self> {
        let mut raw: CUevent = ptr::null_mut();
        // SAFETY: `raw` is writable for the length of the call.
        let status = unsafe { driver.event_create(&raw mut raw, 0) };
        status.is_success().then(|| Self { driver: Arc::clone(driver), raw: Handle(raw) })
    }

    /// Records it on a stream that the program is using at this moment.
    pub(super) fn record(&self, stream: CUstream) -> bool {
        // SAFETY: the event is alive, and the program's call has the stream, which lives as long as that.
        unsafe { self.driver.event_record(self.raw.0, stream) }.is_success()
    }

    /// Whether it has happened. Does not wait.
    pub(super) fn has_happened(&self) -> Status {
        // SAFETY: the event is alive.
        unsafe { self.driver.event_query(self.raw.0) }
    }

    /// Milliseconds from this event to a later one of its context.
    ///
    /// # Errors
    ///
    /// `NOT_READY` where one has not happened.
    pub(super) fn until(&self, later: &Self) -> Result<f64, Status> {
        let mut milliseconds = 0.0_f32;
        // SAFETY: both events are alive, and `milliseconds` is writable for the length of the call.
        let status = unsafe { self.driver.event_elapsed_time(&raw mut milliseconds, self.raw.0, later.raw.0) };
        if status.is_success() { Ok(f64::from(milliseconds)) } else { Err(status) }
    }
}

impl Drop for OwnEvent {
    fn drop(&mut self) {
        // SAFETY: the event is alive and used no more.
        let _ = unsafe { self.driver.event_destroy(self.raw.0) };
    }
}

/// The context that is current, null where there is none or it cannot be asked.
pub(super) fn current(driver: &dyn Driver) -> CUcontext {
    let mut context: CUcontext = ptr::null_mut();
    // SAFETY: `context` is writable for the length of the call.
    let status = unsafe { driver.context_current(&raw mut context) };
    if status.is_success() { context } else { ptr::null_mut() }
}

/// Whether an event may be recorded on a stream that the program is using at this moment: it is not being captured, and
/// would not be drawn into a capture.
pub(super) fn can_record(driver: &dyn Driver, stream: CUstream) -> bool {
    let mut capturing = CAPTURE_NONE;
    // SAFETY: the program's call has the stream; `capturing` is writable for the length of the call.
    let status = unsafe { driver.stream_is_capturing(stream, &raw mut capturing) };
    status.is_success() && capturing == CAPTURE_NONE
}

/// While it lives, the calls of this thread leave the captures of other threads alone.
pub(super) struct Relaxed<'d> {
    driver: &'d dyn Driver,
    previous: u32,
    on_this_thread: core::marker::PhantomData<*mut c_void>,
}

impl<'d> Relaxed<'d> {
    /// `None` where the driver cannot do it.
    pub(super) fn new(driver: &'d dyn Driver) -> Option<Self> {
        let previous = exchange(driver, CAPTURE_MODE_RELAXED)?;
        Some(Self { driver, previous, on_this_thread: core::marker::PhantomData })
    }
}

impl Drop for Relaxed<'_> {
    fn drop(&mut self) {
        exchange(self.driver, self.previous);
    }
}

fn exchange(driver: &dyn Driver, mut mode: u32) -> Option<u32> {
    // SAFETY: `mode` is readable and writable for the length of the call.
    unsafe { driver.exchange_capture_mode(&raw mut mode) }.is_success().then_some(mode)
}
