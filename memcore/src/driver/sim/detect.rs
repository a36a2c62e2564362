//! Operations that nothing orders, and reads of memory that was never written.
//!
//! Every operation that is queued is put after all that CUDA documents to come before it, and no more: what happened to
//! hold on some device is no order. Then its uses of memory are compared with those of earlier operations. So a race is
//! found whatever the schedule makes of it.

use core::mem;
use core::ops::Range;

use super::call::Call;
use super::clock::Epoch;
use super::graph::NodeId;
use super::machine::Machine;
use super::memory::Allocation;
use super::operation::{Op, Source, Target};
use super::report::{Subject, Violation, ViolationKind, stream_name};
use super::rows::Rows;
use super::shadow::{Access, Conflict, Use};

/// Memory that operations use.
#[derive(Clone, Copy, Debug)]
pub(super) enum Memory {
    /// An allocation, by its number; bytes count from its start.
    Allocation(u64),
    /// Pageable memory of the program's; bytes count by address.
    Pageable,
}

impl Machine {
    /// Puts the next operation of a stream after all that comes before it, and counts it.
    pub(super) fn order_next(&mut self, stream: u64, is_wait: bool) -> Epoch {
        let before = if is_wait { Vec::new() } else { self.ordered_before(stream) };
        let Some(of) = self.streams.get_mut(&stream) else { return Epoch { agent: 0, number: 0 } };
        let (agent, context) = (of.agent, of.context);
        let mut clock = mem::take(&mut of.clock);
        clock.join(&self.host_clock);
        for other in before.iter().filter_map(|other| self.streams.get(other)) {
            clock.join(&other.clock);
        }
        if let Some(context) = self.contexts.get(&context).filter(|context| context.legacy == stream && !is_wait) {
            clock.join(&context.orphan_clock);
        }
        let epoch = clock.advance(agent);
        if let Some(of) = self.streams.get_mut(&stream) {
            of.clock = clock;
        }
        epoch
    }

    /// The streams whose work comes before the next operation of a stream: by legacy-stream order.
    fn ordered_before(&self, stream: u64) -> Vec<u64> {
        let Some(of) = self.streams.get(&stream).filter(|of| of.blocking) else { return Vec::new() };
        let Some(context) = self.contexts.get(&of.context) else { return Vec::new() };
        if context.legacy == stream { context.blocking.clone() } else { vec![context.legacy] }
    }

    /// The host has waited for a stream.
    pub(super) fn host_joins(&mut self, stream: u64) {
        let Some(of) = self.streams.get(&stream) else { return };
        self.host_clock.join(&of.clock);
        if of.number != 0 {
            return;
        }
        for other in self.ordered_before(stream).iter().filter_map(|other| self.streams.get(other)) {
            self.host_clock.join(&other.clock);
        }
        if let Some(context) = self.contexts.get(&of.context) {
            self.host_clock.join(&context.orphan_clock);
        }
    }

    /// The host has waited for everything in a context.
    pub(super) fn host_joins_context(&mut self, context: u64) {
        for stream in self.streams.values().filter(|stream| stream.context == context) {
            self.host_clock.join(&stream.clock);
        }
        if let Some(context) = self.contexts.get(&context) {
            self.host_clock.join(&context.gone_clock);
        }
    }

    /// The host has waited for an event, as it was last recorded.
    pub(super) fn host_joins_event(&mut self, event: u64) {
        if let Some(recorded) = self.events.get(&event).and_then(|event| event.recorded.as_ref()) {
            self.host_clock.join(recorded);
        }
    }

    /// A stream waits for an event, as it was last recorded.
    pub(super) fn wait_in_order(&mut self, call: &Call, stream: u64, event: u64) {
        let Some(of) = self.streams.get_mut(&stream) else { return };
        match self.events.get(&event).and_then(|event| event.recorded.as_ref()) {
            Some(recorded) => of.clock.join(recorded),
            None => {
                let number = of.number;
                self.report_unrecorded(call, Some(number));
            }
        }
    }

    /// Notes what an operation uses that is about to be queued, and reports what it does not come after.
    pub(super) fn check_uses(&mut self, by: Access, stream: u64, op: &Op) {
        match op {
            Op::Copy { to, from } => {
                let read = match from {
                    Source::Memory(span) => Some((Memory::Allocation(span.allocation()), *span.rows())),
                    Source::Staged(staged) => staged.in_use().map(|rows| (Memory::Pageable, rows)),
                    Source::Pageable(pageable) => pageable.in_use().map(|rows| (Memory::Pageable, rows)),
                };
                let (target, rows) = match to {
                    Target::Memory(span) => (Memory::Allocation(span.allocation()), span.rows()),
                    Target::Pageable(pageable) => (Memory::Pageable, pageable.rows()),
                };
                let raced = read.is_some_and(|(source, rows)| self.note(by, stream, source, &rows, Use::Read));
                let raced = self.note(by, stream, target, rows, Use::Write) || raced;
                self.copy_written(by, to, from, raced);
            }
            Op::Fill { to, .. } => {
                self.note(by, stream, Memory::Allocation(to.allocation()), to.rows(), Use::Write);
                self.mark_written(to.allocation(), to.rows());
            }
            Op::Alloc { allocation, .. } | Op::Free { allocation } | Op::Attach { allocation } => {
                let size = self.memory.get(*allocation).map_or(0, |one| one.size);
                self.note(by, stream, Memory::Allocation(*allocation), &Rows::run(0, size), Use::Write);
            }
            Op::Barrier | Op::Wait | Op::Record { .. } | Op::Call { .. } | Op::Verify { .. } => {}
        }
    }

    /// Notes one use; whether it is a race.
    fn note(&mut self, by: Access, stream: u64, memory: Memory, rows: &Rows, is: Use) -> bool {
        if !self.options.race_checks {
            return false;
        }
        let Some(of) = self.streams.get(&stream) else { return false };
        let shadow = match memory {
            Memory::Pageable => Some(&mut self.pageable),
            Memory::Allocation(id) => self.memory.get_mut(id).map(|one| &mut one.shadow),
        };
        let conflict = shadow.and_then(|shadow| shadow.note(rows, is, by, &of.clock, &self.host_clock));
        let Some(conflict) = conflict else { return false };
        self.report_conflict(by, is, memory, &conflict);
        // What this leads to is not told again: from here on the two count as ordered.
        if let Some(of) = self.streams.get_mut(&stream) {
            of.clock.raise(conflict.earlier.epoch);
        }
        self.forget_watches(memory, &[by.id, conflict.earlier.id]);
        true
    }

    /// Of operations that race, what the host does to their memory cannot be told from what the others do.
    fn forget_watches(&mut self, memory: Memory, operations: &[NodeId]) {
        for id in operations {
            if let Some(node) = self.graph.get_mut(*id) {
                node.watch = None;
            }
        }
        match memory {
            Memory::Allocation(id) => {
                if let Some(one) = self.memory.get_mut(id) {
                    one.has_raced = true;
                }
            }
            Memory::Pageable => self.pageable_has_raced = true,
        }
    }

    fn report_conflict(&mut self, by: Access, is: Use, memory: Memory, conflict: &Conflict) {
        let Conflict { earlier, earlier_use, bytes } = conflict;
        if matches!(by.call.symbol, "cuMemFreeAsync") {
            self.report_use_beside_free(*earlier, *earlier_use, (by.call, Some(by.stream)), memory, bytes);
            return;
        }
        let kind = match (earlier_use, is) {
            (Use::Write, Use::Read) => ViolationKind::ReadAfterWrite,
            (Use::Read, _) => ViolationKind::WriteAfterRead,
            (Use::Write, Use::Write) => ViolationKind::WriteAfterWrite,
        };
        let (subject, what) = self.named(memory, bytes);
        let (mine, other) = (stream_name(by.stream), stream_name(earlier.stream));
        let did = match (earlier_use, is_allocation(&earlier.call)) {
            (_, true) => "makes it",
            (Use::Write, _) => "writes it",
            (Use::Read, _) => "reads it",
        };
        let verb = if is == Use::Read { "reads" } else { "writes" };
        let summary = format!(
            "{} on stream {mine} {verb} {what}, and nothing orders it after {} on stream {other}, which {did}",
            by.call.label(),
            earlier.call.label(),
        );
        let help = format!(
            "record an event on {other} behind the other operation, and let {mine} wait for it before this one"
        );
        let violation = Violation::new(kind, by.call.operation(), by.call.place, summary, help)
            .about(subject)
            .range_in(matches!(memory, Memory::Allocation(_)).then(|| bytes.clone()))
            .on_stream(Some(by.stream))
            .against(earlier.call.operation(), earlier.call.place, Some(earlier.stream));
        self.reports.push(violation);
    }

    /// Reports a free that does not come after a use.
    fn report_use_beside_free(
        &mut self,
        user: Access,
        is: Use,
        (free, on): (Call, Option<u64>),
        memory: Memory,
        bytes: &Range<u64>,
    ) {
        let (subject, what) = self.named(memory, bytes);
        let verb = if is == Use::Read { "reads" } else { "writes" };
        let name = stream_name(user.stream);
        let (subject, is_host) = match memory {
            Memory::Allocation(id) => (
                subject.map(|subject| Subject { freed: Some(free.place), ..subject }),
                self.memory.get(id).is_some_and(|one| one.kind.is_host()),
            ),
            Memory::Pageable => (subject, true),
        };
        let kind = if is_host { ViolationKind::HostInFlight } else { ViolationKind::UseAfterFree };
        let summary = format!(
            "{} on stream {name} {verb} {what}, and nothing orders it before {}, which frees it",
            user.call.label(),
            free.label(),
        );
        let help = match on {
            None => format!("wait for {name} before the memory is freed"),
            Some(on) => format!("let {} wait for {name} before the memory is freed", stream_name(on)),
        };
        let violation = Violation::new(kind, user.call.operation(), user.call.place, summary, help)
            .about(subject)
            .range_in(Some(bytes.clone()))
            .on_stream(Some(user.stream))
            .against(free.operation(), free.place, on);
        self.reports.push(violation);
    }

    /// Reports what still uses an allocation that the host frees now.
    pub(super) fn check_host_free(&mut self, call: &Call, allocation: u64) {
        // In a dead context nothing is freed.
        let Some(one) = self.memory.get(allocation).filter(|one| self.alive(one.context).is_ok()) else { return };
        let conflict = one.shadow.conflict(0..one.size, Use::Write, &self.host_clock);
        if let Some(Conflict { earlier, earlier_use, bytes }) = conflict {
            let memory = Memory::Allocation(allocation);
            self.report_use_beside_free(earlier, earlier_use, (*call, None), memory, &bytes);
            self.forget_watches(memory, &[earlier.id]);
        }
    }

    /// What a report says of bytes.
    fn named(&self, memory: Memory, bytes: &Range<u64>) -> (Option<Subject>, String) {
        match memory {
            Memory::Allocation(id) => {
                let len = bytes.end - bytes.start;
                let what = format!("{len} bytes at byte {} of allocation #{id}", bytes.start);
                (self.memory.get(id).map(Allocation::subject), what)
            }
            Memory::Pageable => (None, format!("{} bytes of pageable host memory", bytes.end - bytes.start)),
        }
    }

    /// Follows written bytes through a copy; the host must not receive others.
    fn copy_written(&mut self, by: Access, to: &Target, from: &Source, raced: bool) {
        let to_device = to.span().filter(|span| self.tracks_written(span.allocation()));
        let from_device = from.span().filter(|span| self.tracks_written(span.allocation()));
        match (to_device, from_device) {
            (None, None) => {}
            (Some(to), None) => self.mark_written(to.allocation(), to.rows()),
            (Some(to), Some(from)) => {
                let is_within = to.allocation() == from.allocation();
                let Some(source) = self.memory.get_mut(from.allocation()) else { return };
                // Taken out meanwhile, unless it is the target's too.
                let source = if is_within { source.written.clone() } else { source.written.take() };
                let target = self.memory.get_mut(to.allocation()).and_then(|one| one.written.as_mut());
                if let (Some(source), Some(target)) = (&source, target) {
                    for (to, from) in to.rows().pairs(from.rows()) {
                        target.copy(to.start, source, from);
                    }
                }
                if let (false, Some(one)) = (is_within, self.memory.get_mut(from.allocation())) {
                    one.written = source;
                }
            }
            (None, Some(from)) => {
                let written = self.memory.get(from.allocation()).and_then(|one| one.written.as_ref());
                let missing = written.and_then(|written| from.rows().runs().find_map(|run| written.first_missing(run)));
                let Some(missing) = missing else { return };
                if !raced {
                    self.report_uninitialised(by, from.allocation(), &missing);
                }
                self.mark_written(from.allocation(), from.rows());
            }
        }
    }

    fn report_uninitialised(&mut self, by: Access, allocation: u64, missing: &Range<u64>) {
        let (subject, what) = self.named(Memory::Allocation(allocation), missing);
        let summary = format!(
            "{} on stream {} gives the host {what}, which nothing has written",
            by.call.label(),
            stream_name(by.stream)
        );
        let help = "write the memory first, or allocate it zeroed; copy only what was written".to_owned();
        let violation = Violation::new(ViolationKind::UninitRead, by.call.operation(), by.call.place, summary, help)
            .about(subject)
            .range(missing.start, missing.end - missing.start)
            .on_stream(Some(by.stream));
        self.reports.push(violation);
    }

    fn tracks_written(&self, allocation: u64) -> bool {
        self.options.initialisation_checks && self.memory.get(allocation).is_some_and(|one| one.written.is_some())
    }

    /// Says that bytes have been written, also those that a refused operation would have: what follows from that is not
    /// told again.
    pub(super) fn mark_written(&mut self, allocation: u64, rows: &Rows) {
        let Some(one) = self.memory.get_mut(allocation) else { return };
        let (size, Some(written)) = (one.size, &mut one.written) else { return };
        for run in rows.runs().take_while(|run| run.start < size) {
            written.add(run.start..run.end.min(size));
        }
    }

    /// Reports a wait for an event that was never recorded.
    pub(super) fn report_unrecorded(&mut self, call: &Call, stream: Option<u64>) {
        if !self.options.unrecorded_event_checks {
            return;
        }
        let summary = format!("{} of an event that was never recorded orders nothing", call.label());
        let help = "record the event, on the stream whose work is waited for, before the wait".to_owned();
        let kind = ViolationKind::UnrecordedEvent;
        self.reports.push(Violation::new(kind, call.operation(), call.place, summary, help).on_stream(stream));
    }
}

fn is_allocation(call: &Call) -> bool {
    matches!(call.symbol, "cuMemAllocAsync" | "cuMemAllocFromPoolAsync")
}
