//! The threads that work on one copy.

use core::panic::Location;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::sync::OnceLock;
use std::time::Duration;

use super::cut::Part;
use super::plan::Plan;
use super::{Lane, Transfer, finish, host};
use crate::context::{Bound, Inner, Pending, Piece, Relaxed, Ticket};
use crate::copy::operation::Refused;
use crate::driver::{Driver, acting_for, check, symbol};
use crate::error::{Error, Result};

/// How long a thread watches for a piece before it asks the driver to wait: as long as the pieces of all threads take.
const PATIENCE: Duration = Duration::from_millis(2);

/// One copy, as its threads share it.
pub(super) struct Work<'w> {
    context: &'w Inner,
    lane: &'w Lane<'w>,
    transfer: &'w Transfer,
    plan: Plan,
    parts: usize,
    /// The next part that no thread has.
    next: AtomicUsize,
    /// Why one gave up, first of all: then all do.
    failed: OnceLock<Error>,
}

// SAFETY: the host memory that the transfer names may be used by any thread, and each part of it is one thread's; all else is
// `Sync`.
unsafe impl Sync for Work<'_> {}

/// By what a thread learns that a piece is done.
#[derive(Clone, Copy)]
enum Mark<'t> {
    Ticket(Ticket<'t>),
    /// A wait for all that is queued.
    Wait,
}

impl<'w> Work<'w> {
    pub(super) fn new(context: &'w Inner, lane: &'w Lane<'w>, transfer: &'w Transfer, plan: Plan) -> Self {
        let parts = transfer.parts(plan.chunk);
        Self { context, lane, transfer, plan, parts, next: AtomicUsize::new(0), failed: OnceLock::new() }
    }

    /// Copies all at once, on this thread.
    ///
    /// # Safety
    ///
    /// As [`Transfer::copy`]; the piece holds all of it.
    #[track_caller]
    pub(super) unsafe fn run_small(self, bound: &Bound<'_>, piece: &Piece<'_>, exposes: bool) -> Result<()> {
        let (driver, part) = (bound.driver(), self.transfer.part(0, self.plan.chunk));
        if exposes || self.lane.watches(driver) {
            self.lane.stream.prepare_ticket(driver)?;
        }
        let pending = Pending::on(self.context, self.lane.stream.handle());
        if self.transfer.is_upload {
            // SAFETY: the part is valid for reads, and the piece is this thread's.
            unsafe { self.host_copy(part, piece.start()) };
        }
        // SAFETY: the caller's contract; the piece is idle again when it was waited for.
        let queued = unsafe { self.queue(driver, part, piece.start()) };
        let may_be_queued = queued.as_ref().map_or_else(|refused| refused.is_half_way, |()| true);
        let settled = finish(pending, bound, self.lane, exposes, may_be_queued);
        queued.map_err(Refused::into_error).and(settled)?;
        if !self.transfer.is_upload {
            // SAFETY: the part is valid for writes, and the piece has been written.
            unsafe { self.host_copy(part, piece.start()) };
        }
        Ok(())
    }

    /// Copies with a thread for each piece of page-locked memory, as far as there are threads.
    ///
    /// # Safety
    ///
    /// As [`Transfer::copy`].
    #[track_caller]
    pub(super) unsafe fn run(
        self,
        bound: &Bound<'_>,
        pieces: &[Piece<'_>],
        exposes: bool,
        place: &'static Location<'static>,
    ) -> Result<()> {
        if exposes || bound.driver().progresses() {
            self.lane.stream.prepare_ticket(bound.driver())?;
        }
        let pending = Pending::on(self.context, self.lane.stream.handle());
        self.context.crew().run(pieces.len(), &|number| {
            let _acting = acting_for(place);
            // SAFETY: the caller's contract; each part and each piece is one thread's.
            if let Err(error) = unsafe { self.share(&pieces[number]) } {
                // The first counts.
                let _ = self.failed.set(error);
            }
        });
        let settled = finish(pending, bound, self.lane, exposes, true);
        self.failed.into_inner().map_or(settled, Err)
    }

    /// What one thread does.
    ///
    /// # Safety
    ///
    /// As [`run`](Self::run); the piece is this thread's.
    unsafe fn share(&self, piece: &Piece<'_>) -> Result<()> {
        let bound = self.context.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        if self.transfer.is_upload {
            // SAFETY: the caller's contract.
            unsafe { self.upload(bound.driver(), piece) }
        } else {
            // SAFETY: the caller's contract.
            unsafe { self.download(bound.driver(), piece) }
        }
    }

    /// Fills one slot after the other, each when what was queued from it is done.
    ///
    /// # Safety
    ///
    /// As [`share`](Self::share).
    unsafe fn upload(&self, driver: &dyn Driver, piece: &Piece<'_>) -> Result<()> {
        let mut slots = self.slots(piece);
        let count = slots.len();
        let mut turn = 0;
        while let Some(part) = self.take_part() {
            let (start, mark) = &mut slots[turn % count];
            if let Some(mark) = mark.take() {
                self.reach(driver, mark)?;
            }
            // SAFETY: the part is valid for reads, and nothing queued reads the slot any more.
            unsafe { self.host_copy(part, *start) };
            // SAFETY: the caller's contract; the slot is left alone until its mark is reached.
            unsafe { self.queue(driver, part, *start) }.map_err(Refused::into_error)?;
            *mark = Some(self.mark(driver));
            turn += 1;
        }
        Ok(())
    }

    /// Has the device fill all slots, and empties one after the other.
    ///
    /// # Safety
    ///
    /// As [`share`](Self::share).
    unsafe fn download(&self, driver: &dyn Driver, piece: &Piece<'_>) -> Result<()> {
        let mut slots = self.slots(piece).into_iter().map(|(start, _)| (start, None)).collect::<Vec<_>>();
        let count = slots.len();
        let mut turn = 0;
        loop {
            let (start, filled) = &mut slots[turn % count];
            if let Some((part, mark)) = filled.take() {
                self.reach(driver, mark)?;
                // SAFETY: the part is valid for writes, and the slot has been written.
                unsafe { self.host_copy(part, *start) };
            }
            if let Some(part) = self.take_part() {
                // SAFETY: the caller's contract; the slot is left alone until its mark is reached.
                unsafe { self.queue(driver, part, *start) }.map_err(Refused::into_error)?;
                *filled = Some((part, self.mark(driver)));
            } else if slots.iter().all(|(_, filled)| filled.is_none()) {
                return Ok(());
            }
            turn += 1;
        }
    }

    /// A part that no thread has, unless one has failed.
    fn take_part(&self) -> Option<Part> {
        if self.failed.get().is_some() {
            return None;
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        (number < self.parts).then(|| self.transfer.part(number, self.plan.chunk))
    }

    /// A thread's page-locked memory in slots of a part each, with what was queued from it.
    fn slots<'m>(&self, piece: &Piece<'_>) -> Vec<(*mut u8, Option<Mark<'m>>)> {
        let slot = |number| (piece.start().wrapping_add(number * self.plan.chunk), None);
        (0..(piece.len() / self.plan.chunk).min(self.plan.depth)).map(slot).collect()
    }

    /// # Safety
    ///
    /// As [`Operation::queue`](super::Operation::queue), of the part and as many bytes from `start` on.
    #[track_caller]
    unsafe fn queue(&self, driver: &dyn Driver, part: Part, start: *mut u8) -> Result<(), Refused> {
        // SAFETY: the caller's contract.
        unsafe { self.transfer.queue(driver, self.lane.stream.handle(), part, start.cast()) }
    }

    /// Copies a part between the program's memory and a slot.
    ///
    /// # Safety
    ///
    /// The source may be read and the destination written.
    unsafe fn host_copy(&self, part: Part, slot: *mut u8) {
        let transfer = self.transfer;
        let way =
            if transfer.is_upload { host::Way::ToSlot } else { host::Way::FromSlot { streams: self.plan.streams } };
        // SAFETY: the caller's contract.
        unsafe { host::copy(transfer.host_part(part), &transfer.host, slot, part.extent, way) }
    }

    /// A mark behind what was queued.
    fn mark(&self, driver: &dyn Driver) -> Mark<'w> {
        let ticket = if driver.progresses() { self.lane.stream.ticket(driver) } else { None };
        ticket.map_or(Mark::Wait, Mark::Ticket)
    }

    /// Waits until what was queued before the mark is done.
    fn reach(&self, driver: &dyn Driver, mark: Mark<'_>) -> Result<()> {
        if let Mark::Ticket(ticket) = mark
            && ticket.arrives_within(PATIENCE)
        {
            return Ok(());
        }
        // SAFETY: the stream is alive and its context bound.
        check(symbol::stream_synchronize, unsafe { driver.stream_synchronize(self.lane.stream.handle()) })
    }
}
