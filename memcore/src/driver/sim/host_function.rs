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

/// What a stream calls.
#[derive(Clone, Copy, Debug)]
pub(super) enum Function {
    /// Of `cuLaunchHostFunc`. It is not called where its context is dead.
    Plain(unsafe extern "C" fn(*mut c_void)),
    /// Of `cuStreamAddCallback`, which hears of its stream, by the handle that it was given with, and of an error.
    #[cfg_attr(not(feature = "libcuda"), allow(dead_code, reason = "only the C functions have it"))]
    Callback(unsafe extern "C" fn(CUstream, u32, *mut c_void), Handle<CUstream>),
}

impl Function {
    /// Where its code is.
    #[cfg(feature = "libcuda")]
    fn address(self) -> u64 {
        match self {
            Self::Plain(function) => function as usize as u64,
            Self::Callback(function, _) => function as usize as u64,
        }
    }

    /// Whether it is called in a dead context too.
    const fn outlives_context(self) -> bool {
        !matches!(self, Self::Plain(_))
    }

    /// Calls it.
    ///
    /// # Safety
    ///
    /// It was queued with this `data`, and was not called before.
    unsafe fn call(self, status: Status, data: *mut c_void) {
        match self {
            // SAFETY: by the driver contract it may be called once, on any thread, with this argument.
            Self::Plain(function) => unsafe { function(data) },
            // SAFETY: as above.
            Self::Callback(function, stream) => unsafe { function(stream.0, status.0, data) },
        }
    }
}

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

/// A function that is to be called next.
struct Due {
    id: NodeId,
    function: Function,
    /// What its context died of.
    status: Status,
    data: Handle<*mut c_void>,
}

impl Machine {
    pub(super) fn launch_host_function(
        &mut self,
        call: &Call,
        stream: CUstream,
        function: CUhostFn,
        data: *mut c_void,
    ) -> Answer {
        let Some(function) = function else { return Err(Status::INVALID_VALUE) };
        let key = self.stream_key(call, stream)?;
        self.queue_function(call, key, Function::Plain(function), data)
    }

    /// Has a stream call a function, unless there cannot be one where its pointer points.
    pub(super) fn queue_function(&mut self, call: &Call, key: u64, function: Function, data: *mut c_void) -> Answer {
        #[cfg(feature = "libcuda")]
        if !super::libcuda::is_callable(function.address()) {
            return Err(Status::INVALID_VALUE);
        }
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
    fn next_host_function(&mut self) -> Option<Due> {
        while let Some(id) = self.host_functions.queue.front().copied() {
            let node = self.graph.get(id).map(|node| (node.context, node.after.clone()));
            let Some((context, after)) = node else {
                self.host_functions.queue.pop_front();
                continue;
            };
            let status = self.fate_of(context);
            if status.is_success() {
                self.run_ready(&after);
            } else {
                self.drop_host_functions(&[id]);
            }
            if let Some(Op::Call { function, data, clock }) = self.graph.get(id).map(|node| &node.op) {
                // Whoever hears from the function comes after what came before it.
                self.host_clock.join(clock);
                self.host_functions.running = Some(id);
                return Some(Due { id, function: *function, status, data: *data });
            }
        }
        self.host_functions.has_thread = false;
        None
    }

    /// What a context that had work died of.
    fn fate_of(&self, context: u64) -> Status {
        match self.contexts.get(&context) {
            Some(context) => context.dead.unwrap_or(Status::SUCCESS),
            None => Status::CONTEXT_IS_DESTROYED,
        }
    }

    /// Goes on behind a host function that has returned.
    fn end_host_function(&mut self, id: NodeId) {
        self.host_functions.running = None;
        self.host_functions.queue.pop_front();
        let context = self.graph.remove(id).map_or(0, |node| node.context);
        if self.fate_of(context) == Status::CONTEXT_IS_DESTROYED {
            self.run_ready(&self.graph.of_context(context));
        } else if self.alive(context).is_err() {
            self.land();
        } else if self.schedule.is_eager() {
            self.run_ready(&self.graph.all());
        }
        self.announce();
    }

    /// Lets host functions pass uncalled, those of `among` that do not run already and have not to hear of it.
    pub(super) fn drop_host_functions(&mut self, among: &[NodeId]) {
        for id in among {
            if self.host_functions.running != Some(*id)
                && let Some(node) = self.graph.get_mut(*id)
                && matches!(node.op, Op::Call { function, .. } if !function.outlives_context())
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
        let Some(Due { id, function, status, data }) = state.next_host_function() else { return };
        drop(state);
        // SAFETY: it was queued with this, and is called once.
        unsafe { function.call(status, data.0) };
        let mut state = shared.lock();
        state.end_host_function(id);
        // A logger that panics ends its own report alone.
        let _ = catch_unwind(AssertUnwindSafe(|| shared.unlock(state))).map_err(mem::forget);
    }
}
