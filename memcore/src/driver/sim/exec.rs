//! Queued operations: a graph that runs when a wait forces it, or when the order says so.

use core::mem::MaybeUninit;
use core::ptr;
use std::collections::BTreeMap;
use std::time::Instant;

use super::backing::{Backing, POISON, Touch};
use super::machine::{Call, Machine};
use super::report::{Violation, ViolationKind};

/// Number of a queued operation. Numbers grow, and an operation depends only on smaller ones.
pub(super) type NodeId = u64;

/// Bytes of an allocation in the table.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    /// The allocation's number.
    pub(super) allocation: u64,
    /// From its start.
    pub(super) offset: u64,
    /// In bytes.
    pub(super) len: u64,
}

impl Span {
    /// Whether both have a byte in common.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.allocation == other.allocation
            && self.offset < other.offset.saturating_add(other.len)
            && other.offset < self.offset.saturating_add(self.len)
    }
}

/// One side of a copy.
#[derive(Debug)]
pub(super) enum Side {
    /// Memory of the table.
    Memory(Span),
    /// The address of other host memory: only in operations that run before their call returns.
    Pageable(usize),
    /// A source that was read when the copy was queued.
    Staged(Box<[MaybeUninit<u8>]>),
}

impl Side {
    /// The table's memory, if it is that.
    pub(super) const fn span(&self) -> Option<&Span> {
        if let Self::Memory(span) = self { Some(span) } else { None }
    }
}

/// What a queued operation does.
#[derive(Debug)]
pub(super) enum Op {
    /// It only orders.
    Nothing,
    /// Copies bytes; the sides may overlap.
    Copy {
        /// The destination.
        to: Side,
        /// The source.
        from: Side,
        /// In bytes.
        len: usize,
    },
    /// Repeats the first `unit` bytes of `pattern`.
    Fill {
        /// The destination.
        to: Span,
        /// The value's bytes.
        pattern: [u8; 4],
        /// How many of them are used.
        unit: usize,
    },
    /// The allocation's bytes come to be.
    Alloc {
        /// Its number.
        allocation: u64,
        /// They, poisoned.
        backing: Backing,
    },
    /// The allocation ends.
    Free {
        /// Its number.
        allocation: u64,
    },
    /// The event takes place.
    Record {
        /// Its handle.
        event: u64,
        /// Which recording of it this is.
        recording: u64,
    },
}

impl Op {
    /// The table's memory that it uses.
    pub(super) fn spans(&self) -> impl Iterator<Item = &Span> {
        let (first, second) = match self {
            Self::Copy { to, from, .. } => (to.span(), from.span()),
            Self::Fill { to, .. } => (Some(to), None),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

/// A queued operation.
#[derive(Debug)]
pub(super) struct Node {
    /// What it does.
    pub(super) op: Op,
    /// What must have run before.
    pub(super) after: Vec<NodeId>,
    /// The context of its stream.
    pub(super) context: u64,
    /// The number of its stream.
    pub(super) stream: u64,
    /// The call that queued it.
    pub(super) call: Call,
}

/// The operations that have been queued and have not run.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pending: BTreeMap<NodeId, Node>,
    count: NodeId,
}

impl Graph {
    /// Whether the operation has not run yet.
    pub(super) fn is_pending(&self, id: NodeId) -> bool {
        self.pending.contains_key(&id)
    }

    /// Whether nothing is pending.
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// A pending operation.
    pub(super) fn get(&self, id: NodeId) -> Option<&Node> {
        self.pending.get(&id)
    }

    /// Queues an operation.
    pub(super) fn add(&mut self, node: Node) -> NodeId {
        self.count += 1;
        self.pending.insert(self.count, node);
        self.count
    }

    /// Everything pending in a context.
    pub(super) fn of_context(&self, context: u64) -> Vec<NodeId> {
        self.pending.iter().filter(|(_, node)| node.context == context).map(|(id, _)| *id).collect()
    }

    /// Everything pending.
    pub(super) fn all(&self) -> Vec<NodeId> {
        self.pending.keys().copied().collect()
    }

    /// The pending ones of `roots` and all that they depend on, smallest first: an order in which they may run.
    fn closure(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut found = std::collections::HashSet::new();
        let mut open: Vec<NodeId> = roots.to_vec();
        while let Some(id) = open.pop() {
            if let Some(node) = self.pending.get(&id)
                && found.insert(id)
            {
                open.extend_from_slice(&node.after);
            }
        }
        let mut ids: Vec<_> = found.into_iter().collect();
        ids.sort_unstable();
        ids
    }

    /// How many pending numbers a whim chooses from, and the first.
    fn window(&self) -> Option<(NodeId, u64)> {
        let (first, last) = (*self.pending.first_key_value()?.0, *self.pending.last_key_value()?.0);
        Some((first, last - first + 1))
    }
}

impl Machine {
    /// Runs the pending ones of `roots` and all that they depend on.
    pub(super) fn force(&mut self, roots: &[NodeId]) {
        let mut ids = self.graph.closure(roots);
        self.schedule.arrange(&mut ids);
        for id in ids {
            let Some(node) = self.graph.pending.get(&id) else { continue };
            if node.after.iter().any(|before| self.graph.is_pending(*before)) {
                for id in self.graph.closure(&[id]) {
                    self.run(id);
                }
            } else {
                self.run(id);
            }
        }
    }

    /// Under a random order, runs some pending operation, with what it depends on.
    pub(super) fn advance(&mut self) {
        let Some((first, len)) = self.graph.window() else { return };
        let Some(offset) = self.schedule.whim(len) else { return };
        if let Some((&id, _)) = self.graph.pending.range(first + offset..).next() {
            self.force(&[id]);
        }
    }

    /// Runs a pending operation. What it depends on has run.
    fn run(&mut self, id: NodeId) {
        let Some(node) = self.graph.pending.remove(&id) else { return };
        match &node.op {
            Op::Nothing => {}
            Op::Copy { to, from, len } => self.run_copy(&node, to, from, *len),
            Op::Fill { to, pattern, unit } => {
                let pattern = pattern.get(..*unit).unwrap_or(pattern);
                if let Some(target) = self.target(&node, to) {
                    // SAFETY: the span's bytes are live, and the machine's lock keeps every other use of the table away.
                    unsafe { fill(target, to.len as usize, pattern) };
                }
            }
            Op::Free { allocation } => self.finish_free(*allocation, node.call.place),
            Op::Record { event, recording } => {
                if let Some(event) = self.events.get_mut(event)
                    && event.recording == *recording
                {
                    event.happened = Some(Instant::now());
                }
            }
            Op::Alloc { .. } => {
                if let Op::Alloc { allocation, backing } = node.op
                    && let Some(allocation) = self.memory.get_mut(allocation)
                {
                    allocation.backing = Some(backing);
                }
            }
        }
    }

    fn run_copy(&mut self, node: &Node, to: &Side, from: &Side, len: usize) {
        let source: Option<*const u8> = match from {
            Side::Memory(span) => self.source(node, span),
            Side::Pageable(address) => Some(ptr::with_exposed_provenance(*address)),
            Side::Staged(bytes) => Some(bytes.as_ptr().cast()),
        };
        let target: Option<*mut u8> = match to {
            Side::Memory(span) => self.target(node, span),
            Side::Pageable(address) => Some(ptr::with_exposed_provenance_mut(*address)),
            Side::Staged(_) => None,
        };
        match (target, source) {
            // SAFETY: both sides are good for `len` bytes: pageable ones by the promise of the call, which has not
            // returned yet; those of the table are live. Only raw pointers are made, so the two may overlap.
            (Some(target), Some(source)) => unsafe { ptr::copy(source, target, len) },
            // SAFETY: as above. What was freed reads as poison.
            (Some(target), None) => unsafe { target.write_bytes(POISON, len) },
            (None, _) => {}
        }
    }

    fn source(&mut self, node: &Node, span: &Span) -> Option<*const u8> {
        let pointer = self.memory.reach(span, Touch::Read);
        if pointer.is_none() {
            self.gone(node, span, "reads");
        }
        pointer.map(<*mut u8>::cast_const)
    }

    fn target(&mut self, node: &Node, span: &Span) -> Option<*mut u8> {
        let pointer = self.memory.reach(span, Touch::Overwrite);
        if pointer.is_none() {
            self.gone(node, span, "writes");
        }
        pointer
    }

    /// A queued operation came to run after its memory was freed.
    fn gone(&mut self, node: &Node, span: &Span, verb: &str) {
        let Some(grave) = self.memory.grave_of(span.allocation) else { return };
        let summary = format!(
            "{} of {} bytes {verb} allocation #{} at byte {}, on stream {}, and ran after the memory was freed",
            node.call.words(),
            span.len,
            span.allocation,
            span.offset,
            stream_name(node.stream),
        );
        let help = "let the free be ordered after the operation: wait for its stream, or free on the same stream";
        let violation =
            Violation::new(ViolationKind::UseAfterFree, node.call.operation(), node.call.place, summary, help)
                .about(Some(grave.subject))
                .range(span.offset, span.len)
                .on_stream(Some(node.stream));
        self.reports.push(violation);
    }
}

/// A stream's name in a report.
pub(super) fn stream_name(number: u64) -> String {
    if number == 0 { "NULL".to_owned() } else { format!("s{number}") }
}

/// Fills `len` bytes with a pattern, again and again.
///
/// # Safety
///
/// `target` is good for writes of `len` bytes.
pub(super) unsafe fn fill(target: *mut u8, len: usize, pattern: &[u8]) {
    if let [byte] = pattern {
        // SAFETY: the caller's promise.
        unsafe { target.write_bytes(*byte, len) };
        return;
    }
    let mut done = pattern.len().min(len);
    // SAFETY: `done <= len`, and a slice never overlaps memory that a call may write.
    unsafe { ptr::copy_nonoverlapping(pattern.as_ptr(), target, done) };
    while done < len && done > 0 {
        // The piece that is repeated stays in the cache.
        let piece = done.min(len - done).min(64 << 10);
        // SAFETY: `done < len`.
        let next = unsafe { target.add(done) };
        // SAFETY: `piece <= done` bytes are written already, and `done + piece <= len`.
        unsafe { ptr::copy_nonoverlapping(target, next, piece) };
        done += piece;
    }
}
