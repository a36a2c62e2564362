//! The few streams on which synchronous operations run.
//!
//! Each operation borrows one, so that operations of several threads do not queue behind each other's waits. They are
//! non-blocking: the legacy stream does not order non-blocking streams, and a wait on one is a wait for that work
//! alone.

use core::mem::ManuallyDrop;
use core::ops::Deref;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::binding::Bound;
use super::ticket::{Ticket, Tickets};
use crate::driver::ffi::{CUstream, Handle, STREAM_NON_BLOCKING};
use crate::driver::{Driver, check, symbol};
use crate::error::Result;

/// A stream of the driver with its tickets.
#[derive(Debug)]
pub(crate) struct RawStream {
    handle: Handle<CUstream>,
    is_owned: bool,
    tickets: Tickets,
}

impl RawStream {
    /// A stream of the context that is bound.
    #[track_caller]
    pub(crate) fn create(driver: &dyn Driver, flags: u32, priority: i32) -> Result<Self> {
        let mut stream: CUstream = core::ptr::null_mut();
        // SAFETY: `stream` is writable for the length of the call.
        check(symbol::stream_create, unsafe { driver.stream_create(&raw mut stream, flags, priority) })?;
        Ok(Self::owned(stream))
    }

    /// A stream that is destroyed with this.
    pub(crate) fn owned(stream: CUstream) -> Self {
        Self { handle: Handle(stream), is_owned: true, tickets: Tickets::default() }
    }

    /// A stream that is not destroyed with this.
    pub(crate) fn borrowed(stream: CUstream) -> Self {
        Self { handle: Handle(stream), is_owned: false, tickets: Tickets::default() }
    }

    pub(crate) fn handle(&self) -> CUstream {
        self.handle.0
    }

    /// Makes ready for [`ticket`](Self::ticket), with the context bound and nothing queued.
    #[track_caller]
    pub(crate) fn prepare_ticket(&self, driver: &dyn Driver) -> Result<()> {
        self.tickets.prepare(driver)
    }

    /// A ticket after everything queued so far.
    #[track_caller]
    pub(crate) fn ticket(&self, driver: &dyn Driver) -> Option<Ticket<'_>> {
        self.tickets.draw(driver, self.handle.0)
    }

    /// Destroys the stream if it is owned, with the context bound; what it still has queued runs on.
    ///
    /// # Safety
    ///
    /// The stream is not used again.
    #[track_caller]
    pub(crate) unsafe fn destroy(&mut self, driver: &dyn Driver) -> Result<()> {
        self.tickets.free(driver);
        if !self.is_owned {
            return Ok(());
        }
        // SAFETY: the stream is alive and, by the caller's contract, used no more.
        check(symbol::stream_destroy, unsafe { driver.stream_destroy(self.handle.0) })
    }
}

/// The streams that no operation borrows at the moment.
#[derive(Debug, Default)]
pub(crate) struct StreamSet {
    idle: Mutex<Vec<RawStream>>,
    /// How many are borrowed.
    borrowed: AtomicUsize,
}

impl StreamSet {
    /// A stream for one operation: an idle one, else a new one. The context is bound.
    #[track_caller]
    pub(crate) fn borrow(&self, driver: &dyn Driver) -> Result<Borrowed<'_>> {
        let idle = self.lock().pop();
        let stream = match idle {
            Some(stream) => stream,
            None => RawStream::create(driver, STREAM_NON_BLOCKING, 0)?,
        };
        self.borrowed.fetch_add(1, Ordering::Relaxed);
        Ok(Borrowed { set: self, stream: ManuallyDrop::new(stream) })
    }

    /// Destroys the idle streams.
    pub(super) fn destroy(&self, bound: &Bound<'_>) {
        let streams = core::mem::take(&mut *self.lock());
        for mut stream in streams {
            // SAFETY: it has been taken out of the set and ends here.
            if let Err(error) = unsafe { stream.destroy(bound.driver()) } {
                log::debug!("a stream was not destroyed: {error}");
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RawStream>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream lent to one operation; dropped, it is idle again.
#[derive(Debug)]
pub(crate) struct Borrowed<'s> {
    set: &'s StreamSet,
    stream: ManuallyDrop<RawStream>,
}

impl Borrowed<'_> {
    /// Whether no other operation of the context's borrows a stream now.
    pub(crate) fn is_only_one(&self) -> bool {
        self.set.borrowed.load(Ordering::Relaxed) == 1
    }
}

impl Deref for Borrowed<'_> {
    type Target = RawStream;

    fn deref(&self) -> &RawStream {
        &self.stream
    }
}

impl Drop for Borrowed<'_> {
    fn drop(&mut self) {
        // SAFETY: the stream is taken once, here, where the guard ends.
        let stream = unsafe { ManuallyDrop::take(&mut self.stream) };
        self.set.borrowed.fetch_sub(1, Ordering::Relaxed);
        self.set.lock().push(stream);
    }
}
