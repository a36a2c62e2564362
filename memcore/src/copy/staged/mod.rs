//! Copies between a device and pageable memory in pieces, through page-locked memory of the context's own.
//!
//! The device never sees the program's memory: threads of the host copy each piece between it and the page-locked memory. So
//! a wait that fails leaves the page-locked memory in doubt, which is leaked then, and never the program's.

mod host;
mod host_copy;
mod plan;
mod slots;
mod team;

pub(super) use host_copy::HostCopy;

use self::host::Way;
use self::host_copy::Part;
use self::plan::Plan;
use self::slots::Slots;
use self::team::Team;
use super::lane::Lane;
use super::operation::Operation;
use super::{HostKind, Memory};
use crate::context::{Events, Exposed, Pending, Piece, SMALL, Size, is_listed, settle};
use crate::error::Result;

/// From so many bytes on it is worth asking the driver whether memory is page-locked, which takes up to a microsecond where
/// it is not.
const WORTH_ASKING: usize = 1 << 20;

/// From so many bytes on an upload is faster if its slot is not left in the caches of a core.
const NON_TEMPORAL_FROM: usize = 32 << 10;

/// Up to so many bytes a download into page-locked memory is faster through a slot, which exposes nothing and needs no ticket,
/// unless the ticket is what is watched.
const BOUNCES: usize = 16 << 10;

impl HostCopy {
    /// The copy that an operation is, if it is one between a device and the host's memory that is better made through
    /// page-locked memory: of pageable memory, and a short download of any where nothing watches for its ticket.
    pub(super) fn of(operation: &Operation<'_>, lane: &Lane<'_>) -> Option<Self> {
        let bounces = |bytes| bytes <= BOUNCES && !lane.is_watched();
        match *operation {
            Operation::Upload { dst, src, kind: HostKind::Unknown, bytes } => {
                let is_pageable = !is_listed(src, bytes);
                is_pageable.then(|| Self::upload(dst, src, bytes))
            }
            Operation::Download { dst, kind: kind @ (HostKind::Unknown | HostKind::HostVisible), src, bytes } => {
                let is_pageable = || matches!(kind, HostKind::Unknown) && !is_listed(dst, bytes);
                (bounces(bytes) || is_pageable()).then(|| Self::download(dst, src, bytes))
            }
            Operation::Rows(copy) => {
                let rows = match (copy.to.memory, copy.from.memory) {
                    (Memory::Host(_), Memory::Host(_)) => return None,
                    (Memory::Host(_), _) => Self::rows(false, copy.to, copy.from, copy.extent),
                    (_, Memory::Host(_)) => Self::rows(true, copy.from, copy.to, copy.extent),
                    _ => return None,
                };
                let (start, reach) = rows.host_range();
                (!rows.is_upload && bounces(rows.bytes()) || !is_listed(start, reach)).then_some(rows)
            }
            _ => None,
        }
    }

    /// Copies, or says that the driver should: where the host's memory is page-locked by others, or not to be copied by the
    /// host, where the driver is as fast, and where there is no page-locked memory to be had. `exposes`, whether the device's
    /// memory is what safe code can reach.
    ///
    /// # Safety
    ///
    /// As [`Operation::queue`], of the operation that this is of.
    #[track_caller]
    pub(super) unsafe fn copy(&self, lane: &Lane<'_>, exposes: bool) -> Option<Result<()>> {
        if !lane.bound.driver().lets_host_copy(self.host_rows()) {
            return None;
        }
        if self.bytes() <= SMALL {
            let piece = lane.context.piece(Size::Small)?;
            // SAFETY: the caller's contract.
            return Some(unsafe { self.copy_small(lane, &piece, exposes) });
        }
        let staging = lane.context.staging();
        let plan = Plan::new(self, staging, lane.is_own && !lane.is_alone)?;
        if self.bytes() >= WORTH_ASKING && lane.bound.may_know(self.host_range().0.expose_provenance() as u64) {
            return None;
        }
        // What is queued on a program's stream may take long, and others may use the pieces and threads meanwhile.
        if !lane.is_own
            && let Err(error) = settle(lane.context, lane.handle(), Exposed::Nothing)
        {
            return Some(Err(error));
        }
        let bytes = staging.piece_bytes();
        let pieces = lane.context.pieces(plan.pieces(bytes), Size::Large(bytes));
        let slots = Slots::new(&pieces, plan.part_bytes, plan.slots);
        if slots.count() == 0 {
            return None;
        }
        // Without events the driver copies as well as it can.
        let events = lane.context.events(slots.count()).ok()?;
        // SAFETY: the caller's contract.
        Some(unsafe { self.copy_large(lane, &plan, slots, events, exposes) })
    }

    /// Copies all at once, through a piece that holds all of it.
    ///
    /// # Safety
    ///
    /// As [`copy`](Self::copy).
    #[track_caller]
    unsafe fn copy_small(&self, lane: &Lane<'_>, piece: &Piece<'_>, exposes: bool) -> Result<()> {
        let (part, slot) = (self.part(0, self.bytes()), piece.start());
        if self.is_upload {
            // SAFETY: the part is valid for reads, and the piece is this operation's.
            unsafe { self.host_copy(part, slot, self.bytes() >= NON_TEMPORAL_FROM) };
        }
        // SAFETY: the caller's contract; the piece is used again when this was waited for.
        unsafe { lane.run(self.operation(part, slot.cast()), exposes, false)? };
        if !self.is_upload {
            // SAFETY: the part is valid for writes, and the piece has been written.
            unsafe { self.host_copy(part, slot, false) };
        }
        Ok(())
    }

    /// Copies in parts, by several threads.
    ///
    /// # Safety
    ///
    /// As [`copy`](Self::copy); the slots stay this operation's until this returns.
    #[track_caller]
    unsafe fn copy_large(
        &self,
        lane: &Lane<'_>,
        plan: &Plan,
        slots: Slots,
        events: Events<'_>,
        exposes: bool,
    ) -> Result<()> {
        let driver = lane.bound.driver();
        if exposes {
            lane.stream.prepare_ticket(driver)?;
        }
        let pending = Pending::on(lane.context, lane.handle());
        // SAFETY: the caller's contract.
        let team = unsafe { Team::new(driver, lane.stream, self, plan, slots, events) };
        let copied = lane.context.crew().share(plan.threads - 1, &team);
        // An error does not prove that nothing was queued.
        let exposed = if exposes { Exposed::HostVisible(lane.stream.ticket(driver)) } else { Exposed::Nothing };
        copied.and(pending.settle(exposed))
    }

    /// The host's share of a part: between the program's memory and page-locked memory, in which it lies without gaps.
    ///
    /// # Safety
    ///
    /// The source may be read and the destination written.
    unsafe fn host_copy(&self, part: Part, slot: *mut u8, non_temporal: bool) {
        let way = if self.is_upload { Way::ToSlot } else { Way::FromSlot };
        // SAFETY: the caller's contract.
        unsafe { host::copy(self.host_part(part), &self.host, slot, part.extent, way, non_temporal) }
    }
}
