//! Host functions: what a stream calls on the host, from a thread of the simulator's own.
//!
//! They run one at a time, in the order in which they were queued, without the simulator's lock, and no later than shortly
//! after they were queued, whatever the order of other work is: a program may wait for one by means that the simulator
//! knows nothing of.

use core::ffi::c_void;
use core::mem;
use core::time::Duration;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{PoisonError, Weak};
use std::thread;

use super::call::{Answer, Call};
use super::clock::Clock;
use super::current::{self, Token};
use super::graph::NodeId;
use super::machine::Machine;
use super::operation::Op;
use super::shared::Shared;
use crate::driver::ffi::{CUhostFn, CUstream, Handle};
use crate::error::Status;

/// How long a host function that nothing waits for is put off.
const DELAY: Duration = Duration::from_millis(1);

/// The host functions that are queued.
#[derive(Debug, Default)]
pub(super) struct HostFunctions {
    /// The first of them may be running.
    queue: VecDeque<NodeId>,
    running: Option<NodeId>,
    has_thread: bool,
    /// How many threads wait for one.
    pub(super) waiting: usize,
}

impl HostFunctions {
    /// Whether none is queued.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Notes one.
    pub(super) fn push(&mut self, id: NodeId) {
        self.queue.push_back(id);
    }
}

impl Machine {
    pub(super) fn launch_host_function(
        &mut self,
        call: &Call,
        stream: CUstream,
        function: CUhostFn,
        data: *mut c_void,
    ) -> Answer {
        if function.is_none() {
            return Err(Status::INVALID_VALUE);
        }
        let key = self.stream_key(call, stream)?;
        if !self.host_functions.has_thread && !self.is_captured(key) {
            let (machine, token) = (Weak::clone(&self.me), Token::clone(&self.token));
            let spawned =
                thread::Builder::new().name("memcore-sim-host".to_owned()).spawn(move || serve(&machine, &token));
            self.host_functions.has_thread = spawned.is_ok();
            spawned.map_err(|_| Status::OUT_OF_MEMORY)?;
        }
        let op = Op::Call { function, data: Handle(data), clock: Clock::default() };
        self.issue(call, key, op, None)?;
        Ok(())
    }

    /// The next host function, with all done that comes before it.
    fn next_host_function(&mut self) -> Option<(NodeId, CUhostFn, *mut c_void)> {
        while let Some(id) = self.host_functions.queue.front().copied() {
            let node = self.graph.get(id).map(|node| (node.context, node.after.clone()));
            let Some((context, after)) = node else {
                self.host_functions.queue.pop_front();
                continue;
            };
            if self.alive(context).is_err() {
                self.drop_host_functions(&[id]);
                continue;
            }
            self.run_ready(&after);
            if let Some(Op::Call { function, data, clock }) = self.graph.get(id).map(|node| &node.op) {
                // Whoever hears from the function comes after what came before it.
                self.host_clock.join(clock);
                self.host_functions.running = Some(id);
                return Some((id, *function, data.0));
            }
        }
        self.host_functions.has_thread = false;
        None
    }

    /// Goes on behind a host function that has returned.
    fn end_host_function(&mut self, id: NodeId) {
        self.host_functions.running = None;
        self.host_functions.queue.pop_front();
        let context = self.graph.remove(id).map_or(0, |node| node.context);
        if self.alive(context).is_err() {
            self.land();
        } else if self.schedule.is_eager() {
            self.run_ready(&self.graph.all());
        }
        self.announce();
    }

    /// Lets host functions pass uncalled, those of `among` that do not run already.
    pub(super) fn drop_host_functions(&mut self, among: &[NodeId]) {
        for id in among {
            if self.host_functions.running != Some(*id)
                && let Some(node) = self.graph.get_mut(*id)
                && matches!(node.op, Op::Call { .. })
            {
                node.op = Op::Barrier;
                self.host_functions.queue.retain(|queued| queued != id);
            }
        }
    }
}

/// Calls host functions until none is queued.
fn serve(machine: &Weak<Shared>, token: &Token) {
    current::run_host_functions(token);
    while let Some(shared) = machine.upgrade() {
        let state = shared.lock();
        let nobody_waits = |state: &mut Machine| state.host_functions.waiting == 0;
        let (mut state, _) =
            shared.progress.wait_timeout_while(state, DELAY, nobody_waits).unwrap_or_else(PoisonError::into_inner);
        let Some((id, function, data)) = state.next_host_function() else { return };
        drop(state);
        if let Some(function) = function {
            // SAFETY: by the driver contract the function may be called once, on any thread, with this argument.
            unsafe { function(data) };
        }
        let mut state = shared.lock();
        state.end_host_function(id);
        // A logger that panics ends its own report alone.
        let _ = catch_unwind(AssertUnwindSafe(|| shared.unlock(state))).map_err(mem::forget);
    }
}
