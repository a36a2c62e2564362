//! Events by which a copy in parts learns what the device has done of it.

use core::mem::take;
use std::sync::{Mutex, PoisonError};

use super::inner::Inner;
use crate::driver::ffi::{CUevent, CUstream, EVENT_DISABLE_TIMING, Handle};
use crate::driver::{Driver, check, symbol};
use crate::error::{Result, Status};

/// The events of a context that no copy uses.
#[derive(Debug, Default)]
pub(super) struct IdleEvents(Mutex<Vec<Handle<CUevent>>>);

impl IdleEvents {
    fn take(&self, most: usize) -> Vec<Handle<CUevent>> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = idle.len().saturating_sub(most);
        idle.split_off(rest)
    }

    fn give_back(&self, mut events: Vec<Handle<CUevent>>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).append(&mut events);
    }

    /// Destroys them; the context is bound.
    #[track_caller]
    pub(super) fn destroy(&self, driver: &dyn Driver) {
        for event in self.take(usize::MAX) {
            // SAFETY: the event is alive, and used no more.
            let status = unsafe { driver.event_destroy(event.0) };
            if !status.is_success() {
                log::debug!("an event was not destroyed: {status}");
            }
        }
    }
}

/// Events that one copy uses. Dropped, they are idle again, whatever they still wait for: a new record replaces that.
pub(crate) struct Events<'c> {
    context: &'c Inner,
    events: Vec<Handle<CUevent>>,
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        self.context.idle_events().give_back(take(&mut self.events));
    }
}

impl Inner {
    /// So many events, with the context bound.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub(crate) fn events(&self, count: usize) -> Result<Events<'_>> {
        let mut events = Events { context: self, events: self.idle_events().take(count) };
        while events.events.len() < count {
            let mut event: CUevent = core::ptr::null_mut();
            // SAFETY: `event` is writable for the length of the call.
            let status = unsafe { self.driver().event_create(&raw mut event, EVENT_DISABLE_TIMING) };
            check(symbol::event_create, status)?;
            events.events.push(Handle(event));
        }
        Ok(events)
    }
}

impl Events<'_> {
    /// Records an event behind what is queued on `stream`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    ///
    /// # Safety
    ///
    /// The stream is alive and its context bound.
    #[track_caller]
    pub(crate) unsafe fn record(&self, number: usize, stream: CUstream) -> Result<()> {
        // SAFETY: the event is alive, and the stream by the caller's contract.
        check(symbol::event_record, unsafe { self.context.driver().event_record(self.events[number].0, stream) })
    }

    /// Whether all before an event is done.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub(crate) fn query(&self, number: usize) -> Result<bool> {
        // SAFETY: the event is alive.
        match unsafe { self.context.driver().event_query(self.events[number].0) } {
            Status::NOT_READY => Ok(false),
            status => check(symbol::event_query, status).map(|()| true),
        }
    }

    /// Waits until all before an event is done.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub(crate) fn synchronize(&self, number: usize) -> Result<()> {
        // SAFETY: the event is alive.
        check(symbol::event_synchronize, unsafe { self.context.driver().event_synchronize(self.events[number].0) })
    }
}
