//! Queued operations: a graph of what comes after what.

use std::collections::{BTreeMap, HashSet};

use super::call::Call;
use super::operation::{Op, Source, Target};
use super::watch::Watch;

/// Number of a queued operation. Numbers grow, and an operation depends only on smaller ones.
pub(super) type NodeId = u64;

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

    /// Whether anything is pending in a context.
    pub(super) fn has_context(&self, context: u64) -> bool {
        self.pending.values().any(|node| node.context == context)
    }

    /// Whether anything is pending on a stream, by its number.
    pub(super) fn has_stream(&self, stream: u64) -> bool {
        self.pending.values().any(|node| node.stream == stream)
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
            Op::Copy { from: Source::Staged(staged), .. } => staged.is_held = false,
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
