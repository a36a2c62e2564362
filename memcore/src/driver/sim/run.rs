//! Running queued operations: when a wait forces them, or when the order says so.

use core::ptr;
use std::collections::HashSet;
use std::time::Instant;

use super::backing::{POISON, Touch};
use super::graph::{Node, NodeId};
use super::machine::Machine;
use super::operation::{Op, Source, Target};

impl Machine {
    /// Runs the pending ones of `roots` and all that they depend on. What comes after a host function is left, and noted:
    /// the entry point that this is called by does not return before it has run.
    pub(super) fn force(&mut self, roots: &[NodeId]) {
        self.run_ready(roots);
        if !self.host_functions.is_empty() {
            // In a dead context nothing is waited for.
            let waits = |id: &NodeId| self.graph.get(*id).is_some_and(|node| self.alive(node.context).is_ok());
            let left: Vec<_> = roots.iter().copied().filter(waits).collect();
            self.unfinished.extend(left);
        }
    }

    /// As [`force`](Self::force), without the note.
    pub(super) fn run_ready(&mut self, roots: &[NodeId]) {
        let mut ids = self.graph.closure(roots);
        if !self.host_functions.is_empty() {
            self.leave_out_what_waits(&mut ids);
        }
        self.schedule.arrange(&mut ids);
        for id in ids {
            let Some(node) = self.graph.get(id) else { continue };
            if node.after.iter().any(|before| self.graph.is_pending(*before)) {
                for id in self.graph.closure(&[id]) {
                    self.run(id);
                }
            } else {
                self.run(id);
            }
        }
    }

    /// Under a random order, runs some pending operation now and then, with what it depends on.
    pub(super) fn advance(&mut self) {
        let Some((first, len)) = self.graph.extent() else { return };
        let Some(offset) = self.schedule.draw_early(len) else { return };
        if let Some(id) = self.graph.next_from(first + offset) {
            self.run_ready(&[id]);
        }
    }

    /// Leaves out host functions, which a thread of their own calls, and what comes after one.
    fn leave_out_what_waits(&self, ids: &mut Vec<NodeId>) {
        let mut waiting = HashSet::new();
        // An operation depends only on smaller ones, and they come in their order.
        ids.retain(|id| {
            let Some(node) = self.graph.get(*id) else { return false };
            let waits = matches!(node.op, Op::Call { .. }) || node.after.iter().any(|before| waiting.contains(before));
            if waits {
                waiting.insert(*id);
            }
            !waits
        });
    }

    /// Runs a pending operation. What it depends on has run.
    fn run(&mut self, id: NodeId) {
        let Some(node) = self.graph.remove(id) else { return };
        if self.is_gone(&node) {
            return;
        }
        self.check_watch(&node);
        let Node { op, call, .. } = node;
        match op {
            // A host function that comes to be run here is not to be called: its context is dead.
            Op::Barrier | Op::Wait | Op::Attach { .. } | Op::Call { .. } | Op::Verify { .. } => {}
            Op::Copy { to, from } => self.run_copy(&to, &from),
            Op::Fill { to, pattern, unit } => {
                let pattern = pattern.get(..unit).unwrap_or(&pattern);
                if let Some(target) = self.memory.reach(&to, Touch::Overwrite) {
                    for row in to.rows().counted_from(to.rows().start()).runs() {
                        // SAFETY: `target` is good for the span while the allocation is in the table, which nothing changes
                        // here.
                        let target = unsafe { target.add(row.start as usize) };
                        // SAFETY: as above; by the span's invariant the program does not touch the bytes.
                        unsafe { fill(target, (row.end - row.start) as usize, pattern) };
                    }
                }
            }
            Op::Free { allocation } => self.free_device(allocation, call.place),
            Op::Record { event, recording } => {
                if let Some(event) = self.events.get_mut(&event)
                    && event.recording == recording
                {
                    event.happened = Some(Instant::now());
                }
            }
            Op::Alloc { allocation, backing } => {
                if let Some(allocation) = self.memory.get_mut(allocation) {
                    allocation.backing = Some(backing);
                }
            }
        }
    }

    fn run_copy(&mut self, to: &Target, from: &Source) {
        let (source, from_rows) = match from {
            Source::Memory(span) => (self.memory.reach(span, Touch::Read).map(<*mut u8>::cast_const), *span.rows()),
            Source::Staged(staged) => (Some(staged.bytes.as_ptr().cast()), staged.rows.packed()),
            Source::Pageable(bytes) => (Some(bytes.pointer().cast_const()), *bytes.rows()),
        };
        let (target, to_rows) = match to {
            Target::Memory(span) => (self.memory.reach(span, Touch::Overwrite), *span.rows()),
            Target::Pageable(bytes) => (Some(bytes.pointer()), *bytes.rows()),
        };
        let Some(target) = target else { return };
        let (to_rows, from_rows) = (to_rows.counted_from(to_rows.start()), from_rows.counted_from(from_rows.start()));
        for (to, from) in to_rows.pairs(&from_rows) {
            let len = (to.end - to.start).min(from.end - from.start) as usize;
            // SAFETY: both sides have their rows: staged ones are owned by the operation, those of the table are good for as
            // long as their allocations are in it, which nothing changes here, and pageable ones by their invariant.
            let target = unsafe { target.add(to.start as usize) };
            match source {
                Some(source) => {
                    // SAFETY: as above.
                    let source = unsafe { source.add(from.start as usize) };
                    // SAFETY: as above; by the invariants of both the program does not get in the way. Only raw pointers are
                    // made, so the two may overlap.
                    unsafe { ptr::copy(source, target, len) };
                }
                // SAFETY: as above. What was freed reads as poison.
                None => unsafe { target.write_bytes(POISON, len) },
            }
        }
    }
}

/// Fills `len` bytes with a pattern, again and again.
///
/// # Safety
///
/// `target` is good for writes of `len` bytes.
unsafe fn fill(target: *mut u8, len: usize, pattern: &[u8]) {
    if let [byte] = pattern {
        // SAFETY: this function's contract.
        unsafe { target.write_bytes(*byte, len) };
        return;
    }
    let mut done = pattern.len().min(len);
    // SAFETY: `done` is at most `len` and the pattern's length; the pattern, a reference, lies apart from the target.
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
