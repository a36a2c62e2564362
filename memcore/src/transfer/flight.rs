//! A copy in flight, and how it is known to be done.

use core::mem;
use std::time::{Duration, Instant};

use crate::context::{Exposed, Pending, Relaxed, Ticket, context_of, is_over};
use crate::copy::{self, HostKind, Mode};
use crate::error::{Error, Result, Status};
use crate::event::Event;
use crate::stream::Stream;

/// Where a copy stands.
#[derive(Debug)]
pub(super) enum State {
    InFlight,
    Done,
    /// It failed, and the device is done with the memory.
    Failed(Error),
    /// It failed, and the device may still work on the memory.
    Lost(Error),
}

/// How long a copy in a dead context is waited for before its buffers are given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// A copy in flight. Its event says when it is done, and its ticket where the event cannot.
pub(super) struct Flight(Option<Copy>);

struct Copy {
    /// `None` where nothing had to be copied.
    marks: Option<Marks>,
    /// When the event first failed.
    failed: Option<(Instant, Error)>,
}

struct Marks {
    event: Event,
    /// The ticket's number, of a word that the stream owns.
    ticket: Option<Ticket<'static>>,
    /// Declared last: the ticket's word lives as long as its stream.
    stream: Stream,
}

impl Flight {
    /// Queues a copy of `bytes`.
    ///
    /// # Errors
    ///
    /// With whether nothing is in flight.
    ///
    /// # Safety
    ///
    /// As [`copy::upload`] or [`copy::download`], until `Flight` says that the copy is done.
    #[track_caller]
    pub(super) unsafe fn start(
        stream: &Stream,
        direction: Direction,
        to: u64,
        from: u64,
        bytes: usize,
    ) -> Result<Self, (Error, bool)> {
        if bytes == 0 {
            return Ok(Self(Some(Copy { marks: None, failed: None })));
        }
        let context = &*stream.context().inner;
        let nothing = |error| (error, true);
        let bound = stream.bind().map_err(nothing)?;
        let _relaxed = Relaxed::new(bound.driver());
        let event = Event::new_in(stream.context()).map_err(nothing)?;
        stream.raw().prepare_ticket(bound.driver()).map_err(nothing)?;
        let pending = Pending::on(context, stream.handle());
        // SAFETY: the caller's contract.
        let queued = unsafe { queue(stream, direction, to, from, bytes) };
        let ticket = stream.raw().ticket(bound.driver());
        let recorded = queued.and_then(|()| stream.record(&event));
        if let Err(error) = recorded {
            return match ticket {
                // Nothing marks its end but the wait, which a ticket makes sure of.
                Some(ticket) => {
                    let _ = pending.settle(Exposed::HostVisible(Some(ticket)));
                    Err((error, true))
                }
                // A dead context refuses new work whole: if the copy was refused, nothing is in flight.
                None => {
                    let settled = pending.settle(Exposed::Nothing);
                    let is_done = settled.is_ok() || is_over(&error);
                    Err((error, is_done))
                }
            };
        }
        mem::forget(pending);
        let stream = stream.share();
        // SAFETY: the ticket's word is the stream's, which the flight keeps alive as long as the ticket.
        let ticket = ticket.map(|ticket| unsafe { mem::transmute::<Ticket<'_>, Ticket<'static>>(ticket) });
        Ok(Self(Some(Copy { marks: Some(Marks { event, ticket, stream }), failed: None })))
    }

    /// Moves it out; what stays is done.
    pub(super) fn take(&mut self) -> Self {
        Self(self.0.take())
    }

    /// Where the copy stands. Does not wait.
    #[track_caller]
    pub(super) fn query(&mut self) -> State {
        let Some(Copy { marks: Some(marks), failed }) = &mut self.0 else { return State::Done };
        let error = match marks.event.query() {
            Ok(true) => return failed.take().map_or(State::Done, |(_, error)| State::Failed(error)),
            // Not permitted: asked inside a callback of the driver's.
            Ok(false) | Err(Error::Driver { status: Status::NOT_PERMITTED, .. }) => return State::InFlight,
            Err(error) => error,
        };
        let (since, error) = failed.get_or_insert((Instant::now(), error));
        match &marks.ticket {
            Some(ticket) if ticket.has_arrived() => {
                let stream = &marks.stream;
                stream.context().inner.driver().observe(stream.handle());
                State::Failed(error.clone())
            }
            _ if is_over(error) => State::Failed(error.clone()),
            _ if since.elapsed() < PATIENCE => State::InFlight,
            _ => State::Lost(error.clone()),
        }
    }

    /// Waits until the copy is done, or given up.
    ///
    /// # Errors
    ///
    /// In a host function, where nothing can be waited for: the copy may stand behind it.
    #[track_caller]
    pub(super) fn wait(&mut self) -> Result<State> {
        if let Some(Copy { marks: Some(marks), .. }) = &self.0 {
            match marks.event.synchronize() {
                Err(error) if error.status() == Some(Status::NOT_PERMITTED) => return Err(error),
                // Whether it helped is for the query to say.
                _ => {}
            }
        }
        loop {
            match self.query() {
                State::InFlight => std::thread::sleep(Duration::from_micros(50)),
                state => return Ok(state),
            }
        }
    }
}

/// Which side of a copy is the device's.
#[derive(Clone, Copy)]
pub(super) enum Direction {
    Upload,
    Download,
}

/// # Safety
///
/// As [`copy::upload`] or [`copy::download`].
#[track_caller]
unsafe fn queue(stream: &Stream, direction: Direction, to: u64, from: u64, bytes: usize) -> Result<()> {
    let mode = Mode::Raw(stream);
    match direction {
        Direction::Upload => {
            // SAFETY: the address lies in a buffer that is owned meanwhile and keeps its context open.
            let context = unsafe { context_of(to)? };
            let source = core::ptr::with_exposed_provenance(from as usize);
            // SAFETY: the caller's contract.
            unsafe { copy::upload(context, to, source, HostKind::Unknown, bytes, mode) }
        }
        Direction::Download => {
            // SAFETY: as above.
            let context = unsafe { context_of(from)? };
            let destination = core::ptr::with_exposed_provenance_mut(to as usize);
            // SAFETY: the caller's contract.
            unsafe { copy::download(context, destination, HostKind::Unknown, from, bytes, mode) }
        }
    }
}
