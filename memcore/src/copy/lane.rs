//! One operation on a stream, from its queueing to the proof that it is done.

use super::operation::{Operation, Refused};
use crate::context::{Bound, Exposed, Inner, Pending, RawStream};
use crate::driver::ffi::CUstream;
use crate::error::Result;

/// A stream for one operation, and what is known of it. The stream's context is bound, and captures are relaxed.
pub(super) struct Lane<'l> {
    /// The stream's context.
    pub(super) context: &'l Inner,
    pub(super) bound: &'l Bound<'l>,
    pub(super) stream: &'l RawStream,
    /// Whether nothing but this operation is on it.
    pub(super) is_own: bool,
    /// Whether no other operation of the context's runs meanwhile: one more call would only keep these waiting.
    pub(super) is_alone: bool,
}

impl Lane<'_> {
    pub(super) fn handle(&self) -> CUstream {
        self.stream.handle()
    }

    /// Whether the end of a short operation can be watched for in memory: a ticket behind it and a look at that take less
    /// time than the driver's wait.
    pub(super) fn is_watched(&self) -> bool {
        self.is_own && self.is_alone
    }

    /// Queues the operation and waits for it; `exposes`, whether it writes what safe code can reach without the driver, and
    /// `is_pageable`, whether the host's memory is, so that the driver copies in between, and most is done when the call
    /// returns: a ticket behind it would only cost.
    ///
    /// # Safety
    ///
    /// As [`Operation::queue`].
    #[track_caller]
    pub(super) unsafe fn run(&self, operation: Operation<'_>, exposes: bool, is_pageable: bool) -> Result<()> {
        let driver = self.bound.driver();
        let watches = self.is_watched() && !is_pageable && operation.is_short() && driver.progresses();
        if exposes {
            self.stream.prepare_ticket(driver)?;
        }
        // Where it is only watched, the wait serves as well.
        let has_ticket = exposes || watches && self.stream.prepare_ticket(driver).is_ok();
        let pending = Pending::on(self.context, self.handle());
        // SAFETY: the caller's contract.
        let queued = unsafe { operation.queue(driver, self.handle()) };
        // An error does not prove that nothing was queued. A dead context refuses a call whole (seen on hardware: no byte of
        // a refused copy ever landed); but of an operation of several calls it may have taken the first.
        let may_be_queued = queued.as_ref().map_or_else(|refused| refused.is_half_way, |()| true);
        let ticket = if has_ticket && may_be_queued { self.stream.ticket(driver) } else { None };
        let exposed = if exposes && may_be_queued { Exposed::HostVisible(ticket) } else { Exposed::Nothing };
        // What else is queued on a program's stream may fail, which only the wait says.
        let settled = pending.watch(ticket.filter(|_| self.is_own), exposed);
        queued.map_err(Refused::into_error).and(settled)
    }
}

impl Operation<'_> {
    /// Whether it takes less time than a ticket is watched for.
    fn is_short(&self) -> bool {
        /// 45 µs by the bus of an H200.
        const SHORT_BY_BUS: usize = 2 << 20;
        /// 40 µs in the memory of an H200.
        const SHORT_ON_DEVICE: usize = 64 << 20;
        match self {
            Self::Upload { bytes, .. } | Self::Download { bytes, .. } => *bytes <= SHORT_BY_BUS,
            Self::Rows(copy) => copy.extent.bytes() <= SHORT_BY_BUS,
            Self::Copy { bytes, .. } => *bytes <= SHORT_ON_DEVICE,
            Self::Fill { value, count, .. } => value.len().saturating_mul(*count) <= SHORT_ON_DEVICE,
            Self::PeerCopy { .. }
            | Self::PeerRows { .. }
            | Self::Move(_)
            | Self::FillBySets { .. }
            | Self::FillRows(_)
            | Self::FillRowsBySets(_) => false,
        }
    }
}
