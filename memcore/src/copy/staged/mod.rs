//! Copies between a device and pageable memory in pieces, through page-locked memory of the context's own.
//!
//! The device never sees the program's memory: threads of the host copy each piece between it and the page-locked memory. So
//! a wait that fails leaves the page-locked memory in doubt, which is leaked then, and never the program's.

mod cut;
mod host;
mod plan;
mod slots;
mod team;

pub(super) use cut::Transfer;

use self::cut::Part;
use self::host::Way;
use self::plan::Plan;
use self::slots::Slots;
use self::team::Team;
use super::operation::{Operation, Refused};
use super::{HostKind, Memory};
use crate::context::{Bound, Exposed, Inner, Pending, Piece, RawStream, is_listed};
use crate::error::Result;

/// From so many bytes on it is worth asking the driver whether memory is page-locked, which takes up to a microsecond where
/// it is not.
const WORTH_ASKING: usize = 1 << 20;

/// From so many bytes on an upload is faster if its slot is not left in the caches of a core.
const UPLOADS_STREAM: usize = 32 << 10;

/// Up to so many bytes a download into page-locked memory is faster through a slot, which exposes nothing and needs no ticket,
/// unless the ticket is what is watched.
const BOUNCES: usize = 16 << 10;

/// A stream and what is known of it.
pub(super) struct Lane<'l> {
    pub(super) stream: &'l RawStream,
    /// Whether nothing but this operation is on it.
    pub(super) is_own: bool,
    /// Whether no other operation of the context's runs meanwhile: then two calls cost less than a wait.
    pub(super) is_alone: bool,
}

impl Lane<'_> {
    /// Whether the end is watched for in memory, as far as it depends on the lane.
    fn watches(&self) -> bool {
        self.is_own && self.is_alone
    }
}

impl Transfer {
    /// What of an operation may go through page-locked memory.
    pub(super) fn of(operation: &Operation<'_>) -> Option<Self> {
        match *operation {
            Operation::Upload { dst, src, kind: HostKind::Unknown, bytes } => Some(Self::upload(dst, src, bytes)),
            Operation::Download { dst, kind: HostKind::Unknown, src, bytes } => Some(Self::download(dst, src, bytes)),
            Operation::Download { dst, kind: HostKind::HostVisible, src, bytes: bytes @ ..=BOUNCES } => {
                Some(Self::download(dst, src, bytes).of_page_locked())
            }
            Operation::Rows(copy) => match (copy.to.memory, copy.from.memory) {
                (Memory::Host(_), Memory::Host(_)) => None,
                (Memory::Host(_), _) => Some(Self::rows(false, copy.to, copy.from, copy.extent)),
                (_, Memory::Host(_)) => Some(Self::rows(true, copy.from, copy.to, copy.extent)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Copies, or says that the driver should: where the host's memory is page-locked, where the driver is as fast, and where
    /// there is no page-locked memory to be had.
    ///
    /// # Safety
    ///
    /// As [`Operation::queue`], and the context is that of the stream, and bound; captures are relaxed.
    #[track_caller]
    pub(super) unsafe fn copy(
        &self,
        context: &Inner,
        bound: &Bound<'_>,
        lane: &Lane<'_>,
        exposes: bool,
    ) -> Option<Result<()>> {
        let (start, reach) = self.host_range();
        let bounces = !self.is_upload && self.bytes() <= BOUNCES && !lane.watches();
        if !bounces && (self.is_page_locked || is_listed(start, reach)) {
            return None;
        }
        if self.is_small() {
            let piece = context.small_piece()?;
            // SAFETY: the caller's contract.
            return Some(unsafe { self.copy_small(context, bound, lane, &piece, exposes) });
        }
        let staging = context.staging();
        let plan = Plan::new(self, staging)?;
        if self.bytes() >= WORTH_ASKING && bound.may_know(start.expose_provenance() as u64) {
            return None;
        }
        let pieces = context.pieces(plan.pieces(staging.share()), staging.share());
        let slots = Slots::new(&pieces, plan.chunk, plan.slots);
        if slots.count() == 0 {
            return None;
        }
        // Without events the driver copies as well as it can.
        let marks = context.marks(slots.count()).ok()?;
        if exposes && let Err(error) = lane.stream.prepare_ticket(bound.driver()) {
            return Some(Err(error));
        }
        let pending = Pending::on(context, lane.stream.handle());
        // SAFETY: the caller's contract; the pieces are given back when the stream was waited for.
        let team = unsafe { Team::new(bound.driver(), lane.stream, self, &plan, slots, marks) };
        let copied = context.crew().share(plan.threads - 1, &team);
        // An error does not prove that nothing was queued.
        let settled = pending.settle(exposed(bound, lane, exposes));
        Some(copied.and(settled))
    }

    /// Copies all at once, through a piece that holds all of it.
    ///
    /// # Safety
    ///
    /// As [`copy`](Self::copy).
    #[track_caller]
    unsafe fn copy_small(
        &self,
        context: &Inner,
        bound: &Bound<'_>,
        lane: &Lane<'_>,
        piece: &Piece<'_>,
        exposes: bool,
    ) -> Result<()> {
        let (driver, part, slot) = (bound.driver(), self.part(0, self.bytes()), piece.start());
        let watches = lane.watches() && driver.progresses();
        if exposes || watches {
            lane.stream.prepare_ticket(driver)?;
        }
        if self.is_upload {
            // SAFETY: the part is valid for reads, and the piece is this operation's.
            unsafe { self.host_copy(part, slot, self.bytes() >= UPLOADS_STREAM) };
        }
        let pending = Pending::on(context, lane.stream.handle());
        // SAFETY: the caller's contract; the piece is used again when it was waited for.
        let queued = unsafe { self.queue(driver, lane.stream.handle(), part, slot.cast()) };
        let may_be_queued = queued.as_ref().map_or_else(|refused| refused.is_half_way, |()| true);
        let exposed = exposed(bound, lane, exposes && may_be_queued);
        let settled = match exposed {
            Exposed::Nothing if watches && may_be_queued => pending.watch(lane.stream.ticket(driver), exposed),
            _ => pending.settle(exposed),
        };
        queued.map_err(Refused::into_error).and(settled)?;
        if !self.is_upload {
            // SAFETY: the part is valid for writes, and the piece has been written.
            unsafe { self.host_copy(part, slot, false) };
        }
        Ok(())
    }

    /// The host's share of a part: between the program's memory and page-locked memory, in which it lies without gaps.
    ///
    /// # Safety
    ///
    /// The source may be read and the destination written.
    unsafe fn host_copy(&self, part: Part, slot: *mut u8, streams: bool) {
        let way = if self.is_upload { Way::ToSlot } else { Way::FromSlot };
        // SAFETY: the caller's contract.
        unsafe { host::copy(self.host_part(part), &self.host, slot, part.extent, way, streams) }
    }
}

/// What queued work exposes, with a ticket behind it.
#[track_caller]
pub(super) fn exposed<'l>(bound: &Bound<'_>, lane: &Lane<'l>, exposes: bool) -> Exposed<'l> {
    if exposes { Exposed::HostVisible(lane.stream.ticket(bound.driver())) } else { Exposed::Nothing }
}
