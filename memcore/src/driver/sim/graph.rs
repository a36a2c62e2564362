//! Queued operations: a graph of what comes after what.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ops::Range;
use std::collections::{BTreeMap, HashSet};

use super::backing::Backing;
use super::call::Call;
use super::clock::Clock;
use super::watch::{Snapshot, Watch};
use crate::driver::ffi::{CUhostFn, Handle};

/// Number of a queued operation. Numbers grow, and an operation depends only on smaller ones.
pub(super) type NodeId = u64;

/// Bytes of an allocation that an operation reads or writes.
///
/// INVARIANT: until the span is dropped, the program leaves the bytes to the operation that holds it: it does not write
/// them, and where the operation writes them, does not touch them.
#[derive(Debug)]
pub(super) struct Span {
    allocation: u64,
    offset: u64,
    len: u64,
}

impl Span {
    /// `len` bytes of an allocation, from `offset` on.
    ///
    /// # Safety
    ///
    /// Until the span is dropped, the program leaves the bytes to the operation that it is made for.
    pub(super) const unsafe fn new(allocation: u64, offset: u64, len: u64) -> Self {
        // INVARIANT: the caller's contract.
        Self { allocation, offset, len }
    }

    /// The allocation's number.
    pub(super) const fn allocation(&self) -> u64 {
        self.allocation
    }

    /// From the allocation's start.
    pub(super) const fn offset(&self) -> u64 {
        self.offset
    }

    /// In bytes.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Which of the allocation's bytes.
    pub(super) fn bytes(&self) -> Range<u64> {
        self.offset..self.offset.saturating_add(self.len)
    }

    /// Whether both have a byte in common.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.allocation == other.allocation
            && self.offset < other.offset.saturating_add(other.len)
            && other.offset < self.offset.saturating_add(self.len)
    }
}

/// Pageable host memory, which the table does not hold.
///
/// INVARIANT: as of a [`Span`], and the bytes are good for reads (of a source) or writes (of a target) until the value is
/// dropped; the provenance of their address is exposed.
#[derive(Debug)]
pub(super) struct Pageable {
    address: usize,
    len: usize,
}

impl Pageable {
    /// `len` bytes at `address`.
    ///
    /// # Safety
    ///
    /// Until the value is dropped, the bytes are good for what the operation that it is made for does, and the program
    /// leaves them to it.
    pub(super) unsafe fn new(address: *const c_void, len: usize) -> Self {
        // INVARIANT: the caller's contract; exposed here.
        Self { address: address.expose_provenance(), len }
    }

    /// Good for what the operation does with `len` bytes.
    pub(super) fn pointer(&self) -> *mut u8 {
        core::ptr::with_exposed_provenance_mut(self.address)
    }

    /// In bytes.
    pub(super) const fn len(&self) -> usize {
        self.len
    }

    /// By address.
    pub(super) fn bytes(&self) -> Range<u64> {
        let start = self.address as u64;
        start..start.saturating_add(self.len as u64)
    }
}

/// Bytes of pageable host memory that were read when their copy was queued.
#[derive(Debug)]
pub(super) struct Staged {
    /// The bytes.
    pub(super) bytes: Box<[MaybeUninit<u8>]>,
    /// The address that they were read at, if the program must leave them alone until the copy is done: the driver might
    /// read them later.
    pub(super) in_use_at: Option<u64>,
}

impl Staged {
    /// Which addresses are in use.
    pub(super) fn in_use(&self) -> Option<Range<u64>> {
        self.in_use_at.map(|start| start..start.saturating_add(self.bytes.len() as u64))
    }
}

/// What a copy reads.
#[derive(Debug)]
pub(super) enum Source {
    /// Memory of the table.
    Memory(Span),
    /// Pageable host memory, read when the copy was queued.
    Staged(Staged),
    /// Pageable host memory, read when the copy runs.
    Pageable(Pageable),
}

impl Source {
    /// The table's memory, if it is that.
    pub(super) const fn span(&self) -> Option<&Span> {
        if let Self::Memory(span) = self { Some(span) } else { None }
    }
}

/// What a copy writes.
#[derive(Debug)]
pub(super) enum Target {
    /// Memory of the table.
    Memory(Span),
    /// Pageable host memory.
    Pageable(Pageable),
}

impl Target {
    /// The table's memory, if it is that.
    pub(super) const fn span(&self) -> Option<&Span> {
        if let Self::Memory(span) = self { Some(span) } else { None }
    }
}

/// What a queued operation does.
#[derive(Debug)]
pub(super) enum Op {
    /// It uses no memory that anyone could miss.
    Barrier,
    /// It waits for an event, which orders by the event alone: nothing documents that a wait in the legacy stream orders the
    /// streams around it.
    Wait,
    /// Copies bytes; the sides may overlap.
    Copy {
        /// The destination.
        to: Target,
        /// The source, of the same length.
        from: Source,
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
    /// The bytes of pageable memory must be what they were.
    Verify {
        /// By address.
        target: Range<u64>,
        /// What they were.
        was: Snapshot,
    },
    /// The allocation gets its bytes.
    Alloc {
        /// Its number.
        allocation: u64,
        /// The bytes, poisoned.
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
        /// Which of its recordings this is.
        recording: u64,
    },
    /// The host calls a function of the program's: see [`host_function`](super::host_function).
    Call {
        /// The function.
        function: CUhostFn,
        /// What it is given.
        data: Handle<*mut c_void>,
        /// What comes before it.
        clock: Clock,
    },
}

impl Op {
    /// The table's memory that the operation writes.
    pub(super) fn written(&self) -> Option<&Span> {
        match self {
            Self::Copy { to, .. } => to.span(),
            Self::Fill { to, .. } => Some(to),
            _ => None,
        }
    }

    /// The table's memory that the operation reads or writes.
    pub(super) fn spans(&self) -> impl Iterator<Item = &Span> {
        let (to, from) = match self {
            Self::Copy { to, from } => (to.span(), from.span()),
            Self::Fill { to, .. } => (Some(to), None),
            _ => (None, None),
        };
        to.into_iter().chain(from)
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
    /// What the host must not have done when it runs.
    pub(super) watch: Option<Watch>,
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

    /// The number that the next operation will have.
    pub(super) const fn next(&self) -> NodeId {
        self.count + 1
    }

    /// Queues an operation.
    pub(super) fn add(&mut self, node: Node) -> NodeId {
        self.count += 1;
        self.pending.insert(self.count, node);
        self.count
    }

    /// A pending operation, to be changed.
    pub(super) fn get_mut(&mut self, id: NodeId) -> Option<&mut Node> {
        self.pending.get_mut(&id)
    }

    /// Takes out a pending operation.
    pub(super) fn remove(&mut self, id: NodeId) -> Option<Node> {
        self.pending.remove(&id)
    }

    /// Everything pending in a context.
    pub(super) fn of_context(&self, context: u64) -> Vec<NodeId> {
        self.pending.iter().filter(|(_, node)| node.context == context).map(|(id, _)| *id).collect()
    }

    /// Whether an operation reads or writes pageable memory when it runs.
    pub(super) fn uses_pageable(&self, id: NodeId) -> bool {
        match self.get(id).map(|node| &node.op) {
            Some(Op::Copy { to, from }) => matches!(to, Target::Pageable(_)) || matches!(from, Source::Pageable(_)),
            _ => false,
        }
    }

    /// What the host does to the operation's memory is its own affair from here on.
    pub(super) fn leave_host(&mut self, id: NodeId) {
        let Some(node) = self.pending.get_mut(&id) else { return };
        node.watch = None;
        match &mut node.op {
            Op::Verify { .. } => node.op = Op::Barrier,
            Op::Copy { from: Source::Staged(staged), .. } => staged.in_use_at = None,
            _ => {}
        }
    }

    /// Lets an operation do nothing when its turn comes.
    pub(super) fn cancel(&mut self, id: NodeId) {
        if let Some(node) = self.pending.get_mut(&id).filter(|node| !matches!(node.op, Op::Call { .. })) {
            node.op = Op::Barrier;
        }
    }

    /// Everything pending.
    pub(super) fn all(&self) -> Vec<NodeId> {
        self.pending.keys().copied().collect()
    }

    /// The pending ones of `roots` and all that they depend on, smallest first: an order in which they may run.
    pub(super) fn closure(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut found = HashSet::new();
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

    /// The first pending number, and how many numbers there are from it to the last.
    pub(super) fn extent(&self) -> Option<(NodeId, u64)> {
        let (first, last) = (*self.pending.first_key_value()?.0, *self.pending.last_key_value()?.0);
        Some((first, last - first + 1))
    }

    /// The first pending operation whose number is at least `id`.
    pub(super) fn next_from(&self, id: NodeId) -> Option<NodeId> {
        self.pending.range(id..).next().map(|(id, _)| *id)
    }
}
