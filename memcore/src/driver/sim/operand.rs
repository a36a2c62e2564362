//! What the addresses that a call is given mean.

use core::ops::Range;

use super::call::{Answer, Call};
#[cfg(feature = "libcuda")]
use super::libcuda::is_accessible;
use super::machine::Machine;
use super::memory::{Found, Kind};
use super::operation::Span;
use super::report::{Violation, ViolationKind, stream_name};
use super::rows::Rows;
use crate::error::Status;

impl Machine {
    /// Whether any byte of the range lies in a device's reserved addresses.
    pub(super) fn is_reserved(&self, bytes: &Range<u64>) -> bool {
        self.devices.iter().any(|device| {
            let range = device.space.range();
            bytes.start < range.end && range.start < bytes.end
        })
    }

    /// Memory of the table at an address that a call takes for a device address.
    ///
    /// # Safety
    ///
    /// As the driver contract has it, the program leaves the bytes to the call's operation until that is done, which is
    /// when the span is dropped.
    pub(super) unsafe fn operand(&mut self, call: &Call, stream: u64, rows: Rows, verb: &str) -> Answer<Span> {
        let (kind, subject, base, help) = match self.memory.find(rows.start()) {
            Found::Live(id) | Found::PastEnd(id) => {
                let Some(one) = self.memory.get(id) else { return Err(Status::INVALID_VALUE) };
                if one.freed.is_some() {
                    let help = "queue the free after everything that uses the memory";
                    (ViolationKind::UseAfterFree, one.subject(), one.base, help)
                } else if rows.end() > one.end() {
                    let help = "keep the offset and the length within the allocation";
                    (ViolationKind::OutOfBounds, one.subject(), one.base, help)
                } else if verb == "writes" && one.is_read_only {
                    return Err(Status::INVALID_VALUE);
                } else if self.is_out_of_reach(call, stream, one) {
                    let help = "copy between devices with a peer copy, use other devices' memory on streams of their own, or open it to the device first";
                    (ViolationKind::PeerAccess, one.subject(), one.base, help)
                } else {
                    // SAFETY: this function's contract.
                    return Ok(unsafe { Span::new(id, rows.counted_from(one.base)) });
                }
            }
            Found::Freed(freed) => {
                let help = "keep the memory until everything that uses it is done";
                (ViolationKind::UseAfterFree, freed.subject, freed.base, help)
            }
            Found::Unknown => return Err(Status::INVALID_VALUE),
        };
        let rows = rows.counted_from(base);
        let number = self.streams.get(&stream).map_or(0, |stream| stream.number);
        let (label, name) = (call.label(), stream_name(number));
        let (mut offset, mut len, mut which) = (rows.start(), rows.len(), String::new());
        if let (ViolationKind::OutOfBounds, Some((row, name))) = (kind, rows.first_past(subject.size)) {
            (offset, len, which) = (row.start, row.end - row.start, name);
        }
        let summary = match kind {
            ViolationKind::OutOfBounds => format!(
                "{label} {verb} {len} bytes{which} at byte {offset} of allocation #{}, which has {} bytes, on stream {name}",
                subject.number, subject.size
            ),
            ViolationKind::PeerAccess => format!(
                "{label} of {len} bytes {verb} allocation #{} at byte {offset}, which lies on another device, on stream {name}",
                subject.number
            ),
            _ => format!(
                "{label} of {len} bytes {verb} allocation #{} at byte {offset}, on stream {name}",
                subject.number
            ),
        };
        let violation = Violation::new(kind, call.operation(), call.place, summary, help)
            .about(Some(subject))
            .range(offset, len)
            .on_stream(Some(number));
        self.reports.push(violation);
        if verb == "writes" {
            // What would have been written counts as written: the rest is not to be told as well.
            self.mark_written(subject.number, &rows);
        }
        Err(Status::INVALID_VALUE)
    }

    /// Memory of the table at a host pointer; `None` where that is pageable memory of the program's own.
    ///
    /// # Safety
    ///
    /// As for [`Machine::operand`].
    pub(super) unsafe fn host_operand(
        &mut self,
        call: &Call,
        stream: u64,
        rows: Rows,
        verb: &str,
    ) -> Answer<Option<Span>> {
        let address = rows.start();
        if address == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let known =
            matches!(self.memory.find(address), Found::Live(_) | Found::Freed(_)) || self.is_reserved(&rows.hull());
        if !known {
            #[cfg(feature = "libcuda")]
            if !rows.runs().all(|run| is_accessible(run.start, run.end - run.start, verb == "writes")) {
                return Err(Status::INVALID_VALUE);
            }
            return Ok(None);
        }
        // With unified addresses a device address will do.
        // SAFETY: this function's contract.
        unsafe { self.operand(call, stream, rows, verb) }.map(Some)
    }

    /// The kind of an operand's memory.
    pub(super) fn kind_of(&self, span: &Span) -> Option<Kind> {
        self.memory.get(span.allocation()).map(|one| one.kind)
    }
}
