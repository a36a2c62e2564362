//! The one wait on which every safe operation rests.
//!
//! A wait that returns an error proves nothing: after a fault on one stream, waits on every other return at once while
//! copies that were queued before still land (seen on hardware half a second later). So an operation whose memory could
//! be freed, read or written by safe code after it returns must not return before it is *proved* that the device is
//! done with that memory, or must keep the memory from ever being reused.

use core::mem::forget;
use std::io::{Write, stderr};
use std::process::abort;
use std::thread;
use std::time::{Duration, Instant};

use super::inner::Inner;
use super::ticket::Ticket;
use crate::driver::ffi::CUstream;
use crate::driver::{check, symbol};
use crate::error::{Error, Result, Status};

/// What the awaited work writes that safe code can reach without the driver.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Exposed<'t> {
    /// Nothing: device memory of this context, or pageable host memory (a download into it returns only when landed).
    Nothing,
    /// Page-locked, mapped or managed memory, or another context's. `Some` is a ticket queued behind the work.
    HostVisible(Option<Ticket<'t>>),
}

/// How often a failed wait is repeated: an error that passes leaves a success, which proves completion.
const RETRIES: u32 = 16;

/// How long a ticket is watched before the driver is asked to wait: somewhat longer than what is called short takes.
const SHORT: Duration = Duration::from_micros(100);

/// How long a ticket is waited for before the process is given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until all work queued on `stream` is complete, for the work's memory to be used again.
///
/// The context is bound and captures are relaxed by the caller. On an error the memory is settled all the same: either
/// a later wait or the ticket proved it; or, where only device memory is concerned, the context is marked so that
/// nothing of it is freed any more.
///
/// # Errors
///
/// The first wait's error.
///
/// # Aborts
///
/// If host-visible memory may still be written by the device and nothing can prove otherwise: every way on would be
/// undefined behaviour.
#[inline]
#[track_caller]
pub(crate) fn settle(context: &Inner, stream: CUstream, exposed: Exposed<'_>) -> Result<()> {
    match wait(context, stream) {
        Ok(()) => Ok(()),
        Err(error) => settle_after(error, context, stream, exposed),
    }
}

/// As [`settle`], after a wait that failed.
#[cold]
#[track_caller]
fn settle_after(error: Error, context: &Inner, stream: CUstream, exposed: Exposed<'_>) -> Result<()> {
    for attempt in 0..RETRIES {
        if wait(context, stream).is_ok() {
            return Err(error);
        }
        thread::sleep(Duration::from_micros(u64::from(attempt)));
    }
    prove(context, stream, &error, exposed);
    Err(error)
}

#[inline]
#[track_caller]
fn wait(context: &Inner, stream: CUstream) -> Result<()> {
    // SAFETY: the stream of `settle`'s caller is alive and its context is bound.
    check(symbol::stream_synchronize, unsafe { context.driver().stream_synchronize(stream) })
}

/// Whether the driver has shut down, as at the end of the process: what its devices did is over, and what was allocated
/// is gone with it.
pub(crate) fn is_over(error: &Error) -> bool {
    error.status() == Some(Status::DEINITIALIZED)
}

/// Settles memory whose work cannot be waited for, as `error` says: by the ticket; or, where only device memory is
/// concerned, by marking the context, so that nothing of it is freed any more. Where the driver has shut down nothing
/// has to be proved.
///
/// # Aborts
///
/// As [`settle`].
pub(crate) fn prove(context: &Inner, stream: CUstream, error: &Error, exposed: Exposed<'_>) {
    match exposed {
        _ if is_over(error) => {}
        Exposed::Nothing => context.mark_unsettled(),
        Exposed::HostVisible(Some(ticket)) if arrives(ticket) => {
            context.driver().observe(stream);
            context.mark_unsettled();
        }
        Exposed::HostVisible(_) => {
            // To stderr, for a program without a logger, where a failure to print changes nothing.
            let _ = writeln!(
                stderr(),
                "memcore: aborting, since a wait failed ({error}) and the device may still be writing host memory that this \
                 program is about to use"
            );
            abort();
        }
    }
}

/// Work that was queued and has not been waited for. Should anything unwind meanwhile (a logger that panics), it is
/// waited for all the same, or the process ends: the memory must not be used before.
pub(crate) struct Pending<'c> {
    context: &'c Inner,
    stream: CUstream,
}

impl<'c> Pending<'c> {
    /// Made before anything is queued on `stream`.
    pub(crate) fn on(context: &'c Inner, stream: CUstream) -> Self {
        Self { context, stream }
    }

    /// [`settle`]s the stream. `watched`, a ticket queued behind the work, is watched first: only of a stream on which nothing
    /// else is, whose failure the wait would say.
    #[track_caller]
    pub(crate) fn watch(self, watched: Option<Ticket<'_>>, exposed: Exposed<'_>) -> Result<()> {
        if watched.is_some_and(|ticket| self.context.driver().progresses() && ticket.arrives_within(SHORT)) {
            forget(self);
            return Ok(());
        }
        self.settle(exposed)
    }

    /// [`settle`]s the stream.
    #[track_caller]
    pub(crate) fn settle(self, exposed: Exposed<'_>) -> Result<()> {
        let settled = settle(self.context, self.stream, exposed);
        forget(self);
        settled
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        // The error of the unwinding is the one to be seen.
        let _ = settle(self.context, self.stream, Exposed::HostVisible(None));
    }
}

fn arrives(ticket: Ticket<'_>) -> bool {
    let deadline = Instant::now() + PATIENCE;
    while !ticket.has_arrived() {
        if Instant::now() > deadline {
            return false;
        }
        thread::sleep(Duration::from_micros(50));
    }
    true
}
