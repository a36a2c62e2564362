//! The state of a simulator, and what its entry points have in common.

use core::time::Duration;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};

use log::LevelFilter;

use super::call::{Answer, Call};
use super::capture::Capture;
use super::clock::{Agents, Clock};
use super::context::Context;
use super::current;
use super::device::Device;
use super::event::Event;
use super::fault::Faults;
use super::graph::{Graph, Node, NodeId, Op, Span};
use super::host_function::HostFunctions;
use super::memory::Memory;
use super::options::SimOptions;
use super::order::Schedule;
use super::pool::Pool;
use super::report::Reports;
use super::shadow::{Access, Shadow};
use super::stream::Stream;
use crate::error::Status;

/// After a context has died, what was queued in it lands this much later.
pub(super) const LANDING_DELAY: Duration = Duration::from_millis(50);

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
    pub(super) streams: HashMap<u64, Stream>,
    pub(super) stream_count: u64,
    pub(super) events: HashMap<u64, Event>,
    pub(super) pools: BTreeMap<u64, Pool>,
    pub(super) memory: Memory,
    pub(super) locked_bytes: u64,
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
    pub(super) graphs: HashSet<u64>,
    pub(super) schedule: Schedule,
    pub(super) faults: Faults,
    pub(super) reports: Reports,
    pub(super) calls: VecDeque<&'static str>,
}

/// The state, and how threads that wait for it to change are told.
#[derive(Debug)]
pub(super) struct Shared {
    machine: Mutex<Machine>,
    /// Work went on that others wait for.
    pub(super) progress: Condvar,
    /// Whether it is the process's own: then no one asks for its violations.
    process_wide: bool,
}

impl Shared {
    /// A machine as the options want it.
    pub(super) fn new(options: SimOptions, token: current::Token, process_wide: bool) -> Arc<Self> {
        let mut pools = BTreeMap::new();
        let devices: Vec<_> = (0..options.devices as usize)
            .map(|index| {
                let device = Device::new(options.memory_bytes);
                pools.insert(device.default_pool, Pool::new(index, 0));
                device
            })
            .collect();
        Arc::new_cyclic(|me| Self {
            progress: Condvar::new(),
            process_wide,
            machine: Mutex::new(Machine {
                me: Weak::clone(me),
                token,
                initialised: false,
                devices,
                contexts: HashMap::new(),
                streams: HashMap::new(),
                stream_count: 0,
                events: HashMap::new(),
                pools,
                memory: Memory::default(),
                locked_bytes: 0,
                host_clock: Clock::default(),
                agents: Agents::default(),
                pageable: Shadow::default(),
                pageable_has_raced: false,
                graph: Graph::default(),
                host_functions: HostFunctions::default(),
                unfinished: Vec::new(),
                again: false,
                captures: HashMap::new(),
                graphs: HashSet::new(),
                schedule: Schedule::new(options.order),
                faults: Faults::new(&options.faults),
                reports: Reports::default(),
                calls: VecDeque::new(),
                options,
            }),
        })
    }

    /// The state. A thread that panicked while it held the lock left it usable: nothing in it is ever half done for
    /// Rust.
    pub(super) fn lock(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the lock back, and then tells of what was found meanwhile: a logger may use the driver.
    pub(super) fn unlock(&self, mut machine: MutexGuard<'_, Machine>) {
        let new = machine.reports.take_new();
        drop(machine);
        // Those of the process's own simulator go to stderr where nothing is logged: they would be lost otherwise.
        let to_stderr = self.process_wide && log::max_level() == LevelFilter::Off;
        for violation in new {
            if to_stderr {
                // Not `eprintln!`, which panics where stderr is closed; then there is no one to tell.
                let _ = writeln!(io::stderr(), "simulated device: {violation}");
            } else {
                log::error!("simulated device: {violation}");
            }
        }
    }
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

    /// Kills a context, or all where none has this handle: what is queued lands later, from another thread.
    pub(super) fn kill(&mut self, context: u64, status: Status) {
        let all = !self.contexts.contains_key(&context);
        for dying in self.contexts.keys().copied().filter(|key| all || *key == context).collect::<Vec<_>>() {
            self.leave_host_memory(dying);
        }
        for (key, context_of) in &mut self.contexts {
            if all || *key == context {
                context_of.dead.get_or_insert(status);
            }
        }
        self.announce();
        if self.graph.is_empty() {
            return;
        }
        let machine = Weak::clone(&self.me);
        let land = move || {
            std::thread::sleep(LANDING_DELAY);
            if let Some(shared) = machine.upgrade() {
                let mut machine = shared.lock();
                machine.land();
                shared.unlock(machine);
            }
        };
        if std::thread::Builder::new().name("memcore-sim-landing".to_owned()).spawn(land).is_err() {
            self.land();
        }
    }

    /// What is queued in a context that dies reads no host memory from here on, which the program takes for its own again,
    /// and writes none that is pageable: with that a driver works within its calls alone.
    fn leave_host_memory(&mut self, context: u64) {
        let pending = self.graph.of_context(context);
        self.drop_host_functions(&pending);
        let pageable: Vec<_> = pending.iter().copied().filter(|id| self.graph.uses_pageable(*id)).collect();
        self.run_ready(&pageable);
        // What is left waits for a function that is running.
        for id in &pageable {
            self.graph.cancel(*id);
        }
        for id in pending {
            self.stage_host_source(id);
            self.graph.leave_host(id);
        }
    }

    /// Runs what is queued in dead contexts, but for host functions, which are not called any more.
    pub(super) fn land(&mut self) {
        let dead: Vec<_> =
            self.contexts.iter().filter(|(_, context)| context.dead.is_some()).map(|(key, _)| *key).collect();
        for context in dead {
            let pending = self.graph.of_context(context);
            self.drop_host_functions(&pending);
            self.run_ready(&pending);
            // What has landed is over, also for a program that no wait could tell.
            self.host_joins_context(context);
        }
        self.announce();
    }

    /// Whether a context that is not dead has work left.
    pub(super) fn is_live_work_pending(&self) -> bool {
        self.contexts.iter().any(|(key, context)| context.dead.is_none() && !self.graph.of_context(*key).is_empty())
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
