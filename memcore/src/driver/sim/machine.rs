//! The state of a simulator, and what its entry points have in common.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::Weak;

use super::call::{Answer, Call};
use super::capture::Capture;
use super::clock::{Agents, Clock};
use super::context::Context;
use super::current;
use super::device::Device;
use super::event::Event;
use super::fault::Faults;
use super::graph::{Graph, Node, NodeId};
use super::host::Retired;
use super::host_function::HostFunctions;
use super::mapped::Mapping;
use super::memory::Memory;
use super::operation::{Op, Span};
use super::options::SimOptions;
use super::order::Schedule;
use super::pool::Pool;
use super::report::Reports;
use super::shadow::{Access, Shadow};
use super::shared::Shared;
use super::stream::Stream;
use crate::error::Status;

/// How many driver calls are remembered.
const MAX_CALLS: usize = 1 << 16;

/// The state of a simulator.
///
/// Its methods that are named like those of [`Driver`](crate::driver::Driver) are the entry points; each file of this
/// module has some of them.
///
/// # Safety
///
/// Of every unsafe entry point: its caller keeps what `Driver` asks of the method of that name. The proofs here call it
/// the driver contract, and use of it that
///
/// - an out pointer is null, or has room for what the function writes through it;
/// - the program leaves a range that an operation reads or writes to that operation until it is done, which of an
///   asynchronous one is after the call has returned: it does not write what is read, nor touch what is written;
/// - memory that was freed is not used any more, and registered memory lives until it is unregistered.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) me: Weak<Shared>,
    pub(super) token: current::Token,
    pub(super) options: SimOptions,
    pub(super) initialised: bool,
    pub(super) devices: Vec<Device>,
    pub(super) contexts: HashMap<u64, Context>,
    /// The devices of the contexts that the program made, also of those that are gone.
    #[cfg(feature = "libcuda")]
    pub(super) made_contexts: HashMap<u64, usize>,
    /// The streams that went with one of those.
    #[cfg(feature = "libcuda")]
    pub(super) gone_streams: HashSet<u64>,
    pub(super) streams: HashMap<u64, Stream>,
    pub(super) stream_count: u64,
    pub(super) events: HashMap<u64, Event>,
    pub(super) pools: BTreeMap<u64, Pool>,
    /// The contexts that reach what was allocated in others: first whose work, then whose memory.
    pub(super) peers: HashSet<(u64, u64)>,
    pub(super) memory: Memory,
    pub(super) locked_bytes: u64,
    pub(super) retired: Retired,
    /// Registered pages of memcore's, by address.
    pub(super) mappings: HashMap<u64, Mapping>,
    pub(super) host_clock: Clock,
    pub(super) agents: Agents,
    /// What operations use of pageable memory, by address.
    pub(super) pageable: Shadow,
    pub(super) pageable_has_raced: bool,
    pub(super) graph: Graph,
    pub(super) host_functions: HostFunctions,
    /// What the entry point that is being called waits for, and whether it is to be called anew then.
    pub(super) unfinished: Vec<NodeId>,
    pub(super) again: bool,
    pub(super) captures: HashMap<u64, Capture>,
    pub(super) captured_graphs: HashSet<u64>,
    pub(super) schedule: Schedule,
    pub(super) faults: Faults,
    pub(super) reports: Reports,
    pub(super) calls: VecDeque<&'static str>,
}

impl Machine {
    /// Remembers a call.
    pub(super) fn record(&mut self, symbol: &'static str) {
        if self.calls.len() == MAX_CALLS {
            self.calls.pop_front();
        }
        self.calls.push_back(symbol);
    }

    /// The context that is current on the calling thread.
    pub(super) fn context(&self, call: &Call) -> Answer<u64> {
        match call.current {
            0 => Err(Status::INVALID_CONTEXT),
            key if self.contexts.contains_key(&key) => Ok(key),
            _ => Err(Status::CONTEXT_IS_DESTROYED),
        }
    }

    /// The current context, for a call that a dead one refuses.
    pub(super) fn working(&self, call: &Call) -> Answer<u64> {
        let key = self.context(call)?;
        self.alive(key)?;
        Ok(key)
    }

    /// For a call whose operand has a context of its own: it needs no current one, but fails where that was destroyed.
    pub(super) fn check_current(&self, call: &Call) -> Answer {
        if call.current == 0 { Ok(()) } else { self.context(call).map(|_| ()) }
    }

    /// The code that a context died of, if it did.
    pub(super) fn alive(&self, context: u64) -> Answer {
        match self.contexts.get(&context).and_then(|context| context.dead) {
            Some(status) => Err(status),
            None => Ok(()),
        }
    }

    /// The device of a context.
    pub(super) fn device_of(&self, context: u64) -> usize {
        self.contexts.get(&context).map_or(0, |context| context.device)
    }

    /// Queues an operation on a stream, after the stream's last one, after what legacy-stream order demands, and after
    /// `also`. On a stream that is being captured nothing is queued.
    pub(super) fn issue(&mut self, call: &Call, stream: u64, op: Op, also: Option<NodeId>) -> Answer<NodeId> {
        let of = self.streams.get(&stream).ok_or(Status::INVALID_HANDLE)?;
        let (context, number) = (of.context, of.number);
        self.alive(context)?;
        if let Some(captured) = self.note_captured(stream, &op) {
            return Ok(captured);
        }
        let mut after = self.before_next(stream);
        after.extend(also);
        after.retain(|id| self.graph.is_pending(*id));
        let users: Vec<_> = op.spans().map(Span::allocation).collect();
        let is_host_function = matches!(op, Op::Call { .. });
        let is_wait = matches!(op, Op::Wait);
        let by = Access { epoch: self.order_next(stream, is_wait), call: *call, stream: number, id: self.graph.next() };
        let op = match op {
            Op::Call { function, data, .. } => {
                let clock = self.streams.get(&stream).map(|stream| stream.clock.clone());
                Op::Call { function, data, clock: clock.unwrap_or_default() }
            }
            op => op,
        };
        self.check_uses(by, stream, &op);
        for user in &users {
            self.check_attached(call, stream, *user);
        }
        let id = self.graph.add(Node { op, after, context, stream: number, call: *call, watch: None });
        for user in users {
            self.note_user(user, id);
        }
        if is_host_function {
            self.host_functions.push(id);
        }
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.tail = Some(id);
        }
        if self.schedule.is_eager() {
            self.run_ready(&[id]);
        }
        Ok(id)
    }

    fn note_user(&mut self, allocation: u64, id: NodeId) {
        let Some(allocation) = self.memory.get_mut(allocation) else { return };
        allocation.users.push(id);
        if allocation.users.len() > allocation.users_limit {
            let graph = &self.graph;
            allocation.users.retain(|id| graph.is_pending(*id));
            allocation.users_limit = allocation.users.len() * 2 + 16;
        }
    }

    /// Runs everything pending that uses an allocation, or says that the call is to be made again when it has run.
    pub(super) fn run_users(&mut self, allocation: u64) -> Run {
        let users = self.memory.get(allocation).map(|allocation| allocation.users.clone()).unwrap_or_default();
        self.run_ready(&users);
        for id in &users {
            // Behind a function that runs in a dead context: nothing waits for that, and the memory may be gone next.
            if self.graph.get(*id).is_some_and(|node| self.alive(node.context).is_err()) {
                self.graph.cancel(*id);
            }
        }
        self.force_first(&users)
    }

    /// [`force`](Self::force)s what must have run before the entry point goes on.
    pub(super) fn force_first(&mut self, roots: &[NodeId]) -> Run {
        self.force(roots);
        self.again = !self.unfinished.is_empty();
        if self.again { Run::Later } else { Run::Done }
    }

    /// Wakes the threads that wait for work to go on.
    pub(super) fn announce(&self) {
        if let Some(shared) = self.me.upgrade() {
            shared.progress.notify_all();
        }
    }
}

/// Whether an entry point can go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Run {
    /// All has run.
    Done,
    /// It is to return at once, and is called again when all has run.
    Later,
}
