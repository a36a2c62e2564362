//! What the host does to memory that is in flight, which no call tells: found by comparing when the operation runs.

use core::ops::Range;
use core::slice;

use super::backing::{POISON, Touch};
use super::graph::Node;
use super::machine::Machine;
use super::memory::{Allocation, Kind};
use super::operation::{Op, Source, Span, Staged, Target};
use super::pages::{self, Peek};
use super::report::{Violation, ViolationKind, stream_name};
use super::rows::Rows;

/// What bytes were, to compare them with what they are.
#[derive(Debug)]
pub(super) struct Snapshot(Box<[u8]>);

impl Snapshot {
    /// More than this in one operation is not remembered: it would cost as much memory again.
    const MAX: usize = 64 << 20;

    /// What rows are, which are so many bytes.
    fn of<'a>(rows: impl Iterator<Item = Row<'a>>, len: u64) -> Option<Self> {
        let mut bytes = Vec::with_capacity(usize::try_from(len).ok().filter(|len| *len <= Self::MAX)?);
        rows.for_each(|row| bytes.extend_from_slice(row.bytes));
        Some(Self(bytes.into()))
    }

    /// What pageable memory is at these addresses.
    pub(super) fn at(target: &Rows) -> Option<Self> {
        let mut bytes = vec![0; usize::try_from(target.len()).ok().filter(|len| *len <= Self::MAX)?];
        let mut left = bytes.as_mut_slice();
        for run in target.runs() {
            let (bytes, rest) = left.split_at_mut_checked((run.end - run.start) as usize)?;
            if pages::peek(run.start, bytes) != Peek::Read {
                return None;
            }
            left = rest;
        }
        Some(Self(bytes.into()))
    }

    /// The first bytes of rows that are not what they were, as a block.
    fn first_change<'a>(&self, rows: impl Iterator<Item = Row<'a>>) -> Option<Range<u64>> {
        let mut left = &*self.0;
        for row in rows {
            let (was, rest) = left.split_at_checked(row.bytes.len())?;
            if let Some(block) = was.chunks(BLOCK).zip(row.bytes.chunks(BLOCK)).position(|(was, is)| was != is) {
                let start = row.offset + (block * BLOCK) as u64;
                return Some(start..(start + BLOCK as u64).min(row.offset + row.bytes.len() as u64));
            }
            left = rest;
        }
        None
    }
}

/// Bytes of an allocation that follow each other.
struct Row<'a> {
    /// From the allocation's start.
    offset: u64,
    bytes: &'a [u8],
}

impl Row<'_> {
    /// The first byte that is not poison.
    fn first_written(&self) -> Option<Range<u64>> {
        let is_written = |bytes: &[u8]| POISONED.get(..bytes.len()) != Some(bytes);
        let block = self.bytes.chunks(BLOCK).position(is_written)? * BLOCK;
        let at = block + self.bytes.get(block..)?.iter().position(|byte| *byte != POISON)?;
        let at = self.offset + at as u64;
        Some(at..at + 1)
    }
}

/// Bytes that are compared together: a block at a time is fast without optimisation too.
const BLOCK: usize = 4096;

/// A block of poison.
const POISONED: [u8; BLOCK] = [POISON; BLOCK];

/// What was true of an operation's memory when it was queued, and must be when it runs.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// What the source was, in memory that the host can write.
    source: Option<Snapshot>,
    /// The destination is poisoned.
    is_poisoned: bool,
}

impl Machine {
    /// Remembers the source of a copy that is about to be queued, and poisons its destination, so that reading it early
    /// shows: both only where it is certain that nothing queued changes them first.
    pub(super) fn watch(&mut self, to: Option<&Span>, from: Option<&Span>) -> Option<Watch> {
        let source = from.filter(|span| self.is_left_alone(span, Self::writes_before));
        let source = source.and_then(|span| Snapshot::of(self.host_rows(span)?, span.rows().len()));
        let poisoned = to.filter(|to| from.is_none_or(|from| !from.overlaps(to)));
        let poisoned = poisoned.filter(|to| self.is_left_alone(to, Self::uses_before) && self.is_open(to, true));
        if let Some(to) = poisoned
            && let Some(target) = self.memory.reach(to, Touch::Overwrite)
        {
            for row in to.rows().counted_from(to.rows().start()).runs() {
                // SAFETY: the allocation is in the table, so the pointer is good for its span.
                let target = unsafe { target.add(row.start as usize) };
                // SAFETY: as above; by the span's invariant the program does not touch the bytes any more.
                unsafe { target.write_bytes(POISON, (row.end - row.start) as usize) };
            }
        }
        let is_poisoned = poisoned.is_some();
        (source.is_some() || is_poisoned).then_some(Watch { source, is_poisoned })
    }

    /// Whether the host reaches the bytes of a span, and nothing that is queued gets in its way.
    fn is_left_alone(&self, span: &Span, gets_in_the_way: fn(&Op, &Span) -> bool) -> bool {
        /// More queued operations than this are not looked through: it would cost too much.
        const MAX_COMPARED: usize = 64;

        let Some(one) = self.memory.get(span.allocation()) else { return false };
        // A function that the host runs in between may do what it likes with the memory.
        if one.kind.is_device() || one.has_raced || !self.host_functions.is_empty() {
            return false;
        }
        if !self.is_open(span, false) {
            return false;
        }
        let pending = || one.users.iter().filter_map(|id| self.graph.get(*id));
        pending().take(MAX_COMPARED + 1).count() <= MAX_COMPARED
            && !pending().any(|node| gets_in_the_way(&node.op, span))
    }

    fn uses_before(op: &Op, span: &Span) -> bool {
        op.spans().any(|used| used.overlaps(span))
    }

    fn writes_before(op: &Op, span: &Span) -> bool {
        op.written().is_some_and(|written| written.overlaps(span))
    }

    /// The rows of a span that the host reaches.
    fn host_rows(&mut self, span: &Span) -> Option<impl Iterator<Item = Row<'_>> + use<'_>> {
        let (pointer, first) = (self.memory.reach(span, Touch::Read)?, span.rows().start());
        Some(span.rows().runs().map(move |run| {
            // SAFETY: the allocation is in the table, so the pointer is good for its span.
            let pointer = unsafe { pointer.add((run.start - first) as usize) };
            // SAFETY: as above; the table is borrowed as long as the slice lives, and the bytes of memory that the host
            // reaches are initialised; by the span's invariant the program does not write them.
            Row { offset: run.start, bytes: unsafe { slice::from_raw_parts(pointer, (run.end - run.start) as usize) } }
        }))
    }

    /// Whether the bytes of a span can be read, or also written: registered memory is the program's own to take away.
    fn is_open(&self, span: &Span, to_write: bool) -> bool {
        let Some(one) = self.memory.get(span.allocation()).filter(|one| one.kind == Kind::Registered) else {
            return true;
        };
        let can_access =
            |bytes: Range<u64>| pages::can_access(&(one.base + bytes.start..one.base + bytes.end), to_write);
        // Between the rows it may be in use by others, who would lose what they write while it is tried.
        if to_write { span.rows().runs().all(can_access) } else { can_access(span.rows().hull()) }
    }

    /// Whether registered memory that an operation uses cannot be used any more, which is reported: the operation must not
    /// run, since it would fault.
    pub(super) fn is_gone(&mut self, node: &Node) -> bool {
        let written = node.op.written();
        let is_gone = |span: &&Span| !self.is_open(span, written.is_some_and(|written| core::ptr::eq(written, *span)));
        let Some(span) = node.op.spans().find(is_gone) else { return false };
        let verb = if node.op.written().is_some() { "uses" } else { "reads" };
        self.report_in_flight(node, verb, "took it away", Some((span, span.rows().hull())));
        true
    }

    /// Reports what the host has done to the memory of an operation that is about to run.
    pub(super) fn check_watch(&mut self, node: &Node) {
        let Op::Copy { to, from } = &node.op else {
            if let Op::Verify { target, was } = &node.op {
                self.check_pageable(node, target, was);
            }
            return;
        };
        if let Source::Staged(staged) = from {
            self.check_staged(node, staged);
        }
        let Some(watch) = &node.watch else { return };
        if let (Some(was), Source::Memory(span)) = (&watch.source, from) {
            let change = self.host_rows(span).and_then(|rows| was.first_change(rows));
            if let Some(change) = change {
                self.report_in_flight(node, "reads", "changed it", Some((span, change)));
            }
        }
        if let (true, Target::Memory(span)) = (watch.is_poisoned, to) {
            let written = self.host_rows(span).and_then(|mut rows| rows.find_map(|row| row.first_written()));
            if let Some(written) = written {
                self.report_in_flight(node, "writes", "wrote to it", Some((span, written)));
            }
        }
    }

    /// Compares a pageable source with what it was: the driver might read it now.
    fn check_staged(&mut self, node: &Node, staged: &Staged) {
        let Some(rows) = staged.in_use().filter(|_| !self.pageable_has_raced) else { return };
        let same = |at: usize, is: &[u8]| staged.bytes.get(at..at + is.len()).is_some_and(|was| pages::equal(was, is));
        if let Some(did) = look(&rows, same) {
            self.report_in_flight(node, "reads", did, None);
        }
    }

    /// Compares a pageable destination with what was written to it.
    fn check_pageable(&mut self, node: &Node, target: &Rows, was: &Snapshot) {
        if self.pageable_has_raced {
            return;
        }
        let same = |at: usize, is: &[u8]| was.0.get(at..at + is.len()) == Some(is);
        if let Some(did) = look(target, same) {
            self.report_in_flight(node, "writes", did, None);
        }
    }

    fn report_in_flight(&mut self, node: &Node, verb: &str, did: &str, change: Option<(&Span, Range<u64>)>) {
        let name = stream_name(node.stream);
        let subject = change.as_ref().and_then(|(span, _)| self.memory.get(span.allocation())).map(Allocation::subject);
        let memory = subject.map_or("pageable host memory", |subject| subject.memory);
        let summary = format!(
            "{} on stream {name} {verb} {memory}, and the host {did} before the stream was waited for",
            node.call.label()
        );
        let help = format!("wait for {name} before the memory is written, read or freed, or use a scope, which waits");
        let kind = ViolationKind::HostInFlight;
        let violation = Violation::new(kind, node.call.operation(), node.call.place, summary, help)
            .about(subject)
            .range_in(change.map(|(_, bytes)| bytes))
            .on_stream(Some(node.stream));
        self.reports.push(violation);
    }
}

/// Looks at pageable memory that may be gone; what the host did to it, if it is not the `same`: that is given what is there
/// now, and how many bytes of the rows come before it.
fn look(rows: &Rows, same: impl Fn(usize, &[u8]) -> bool) -> Option<&'static str> {
    /// Bytes that are looked at together, some whole blocks.
    const PIECE: usize = 16 * BLOCK;

    let (mut piece, mut before) = (Vec::new(), 0);
    for run in rows.runs() {
        let len = (run.end - run.start) as usize;
        piece.resize(PIECE.min(len), 0);
        for at in (0..len).step_by(PIECE) {
            let piece = piece.get_mut(..PIECE.min(len - at))?;
            match pages::peek(run.start + at as u64, piece) {
                Peek::Read if same(before + at, piece) => {}
                Peek::Read => return Some("changed or freed it"),
                Peek::Gone => return Some("freed it"),
                Peek::Unknown => return None,
            }
        }
        before += len;
    }
    None
}
