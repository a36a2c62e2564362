//! Which operations have used which bytes, as far as that can still matter: to tell whether a new one comes after them.

use core::ops::Range;
use std::collections::BTreeMap;

use super::call::Call;
use super::clock::{Clock, Epoch};
use super::graph::NodeId;
use super::rows::Rows;

/// An operation that used bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    /// Which.
    pub(super) epoch: Epoch,
    /// The call that queued it.
    pub(super) call: Call,
    /// The number of its stream.
    pub(super) stream: u64,
    /// Its number in the graph.
    pub(super) id: NodeId,
}

/// How bytes are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// They are read.
    Read,
    /// They are written, made or freed.
    Write,
}

/// Two operations on the same bytes that nothing orders.
#[derive(Clone, Debug)]
pub(super) struct Conflict {
    /// The one that was queued first.
    pub(super) earlier: Access,
    /// How it used the bytes.
    pub(super) earlier_use: Use,
    /// The first run of bytes that both used.
    pub(super) bytes: Range<u64>,
}

/// Bytes that were used alike.
#[derive(Clone, Debug)]
struct Segment {
    end: u64,
    write: Option<Access>,
    reads: Vec<Access>,
}

impl Segment {
    /// Forgets what the host comes after: so does everything that is queued from now on.
    fn forget(&mut self, host: &Clock) {
        self.write.take_if(|write| host.covers(write.epoch));
        self.reads.retain(|read| !host.covers(read.epoch));
    }

    fn is_empty(&self) -> bool {
        self.write.is_none() && self.reads.is_empty()
    }

    /// The operation that one with this clock does not come after, if there is any.
    fn conflict(&self, is: Use, clock: &Clock) -> Option<(Access, Use)> {
        let write = self.write.filter(|write| !clock.covers(write.epoch)).map(|write| (write, Use::Write));
        write.or_else(|| {
            let reads = if is == Use::Write { self.reads.as_slice() } else { &[] };
            reads.iter().find(|read| !clock.covers(read.epoch)).map(|read| (*read, Use::Read))
        })
    }
}

/// The uses of the bytes of an allocation, or of pageable memory, by offset or address.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    /// By their starts; they do not overlap.
    segments: BTreeMap<u64, Segment>,
    /// At how many segments all that is forgotten is swept out.
    limit: usize,
}

impl Shadow {
    /// Below this many segments none are swept out.
    const FEW: usize = 64;

    /// Notes a use of rows by an operation that comes after `clock`; an earlier one that the first of them conflicts with.
    pub(super) fn note(&mut self, rows: &Rows, is: Use, by: Access, clock: &Clock, host: &Clock) -> Option<Conflict> {
        let mut conflict = None;
        for bytes in rows.runs().filter(|bytes| !bytes.is_empty()) {
            self.split(bytes.start);
            self.split(bytes.end);
            conflict = conflict.or_else(|| self.conflict(bytes.clone(), is, clock));
            match is {
                Use::Write => self.write(bytes, by),
                Use::Read => self.read(bytes, by, clock, host),
            }
            if self.segments.len() > self.limit.max(Self::FEW) {
                self.sweep(host);
                self.limit = self.segments.len() * 2;
            }
        }
        conflict
    }

    /// An operation on `bytes` that one with this clock would not come after. Notes nothing.
    pub(super) fn conflict(&self, bytes: Range<u64>, is: Use, clock: &Clock) -> Option<Conflict> {
        let before = self.segments.range(..bytes.start).next_back().filter(|(_, segment)| segment.end > bytes.start);
        let mut within = before.into_iter().chain(self.segments.range(bytes.clone()));
        let (start, end, (earlier, earlier_use)) =
            within.find_map(|(start, segment)| Some((*start, segment.end, segment.conflict(is, clock)?)))?;
        let bytes = start.max(bytes.start)..end.min(bytes.end);
        Some(Conflict { earlier, earlier_use, bytes })
    }

    /// Lets a segment begin at `at`, if one holds it.
    fn split(&mut self, at: u64) {
        let Some((_, segment)) = self.segments.range_mut(..at).next_back() else { return };
        if segment.end > at {
            let rest = segment.clone();
            segment.end = at;
            self.segments.insert(at, rest);
        }
    }

    fn write(&mut self, bytes: Range<u64>, by: Access) {
        while let Some((&start, _)) = self.segments.range(bytes.clone()).next() {
            self.segments.remove(&start);
        }
        self.segments.insert(bytes.start, Segment { end: bytes.end, write: Some(by), reads: Vec::new() });
    }

    fn read(&mut self, bytes: Range<u64>, by: Access, clock: &Clock, host: &Clock) {
        let mut gaps = Vec::new();
        let mut next = bytes.start;
        for (&start, segment) in self.segments.range_mut(bytes.clone()) {
            if next < start {
                gaps.push(next..start);
            }
            next = segment.end;
            segment.forget(host);
            segment.reads.retain(|read| !clock.covers(read.epoch));
            segment.reads.push(by);
        }
        if next < bytes.end {
            gaps.push(next..bytes.end);
        }
        for gap in gaps {
            self.segments.insert(gap.start, Segment { end: gap.end, write: None, reads: vec![by] });
        }
    }

    /// Drops what the host comes after.
    fn sweep(&mut self, host: &Clock) {
        self.segments.retain(|_, segment| {
            segment.forget(host);
            !segment.is_empty()
        });
    }
}
