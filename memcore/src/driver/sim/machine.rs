//! The state of a simulator, and what every entry point does with it.

use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::context::Context;
use super::current;
use super::device::Device;
use super::event::Event;
use super::exec::{Graph, Node, NodeId, Op};
use super::fault::Faults;
use super::memory::{Kind, Memory};
use super::options::SimOptions;
use super::order::Schedule;
use super::pool::Pool;
use super::report::{Place, Reports, Violation, ViolationKind};
use super::stream::Stream;
use crate::Status;

/// What an entry point answers.
pub(super) type Answer<T = ()> = Result<T, Status>;

/// After a context has died, what was queued in it lands this much later.
pub(super) const LANDING_DELAY: Duration = Duration::from_millis(50);

/// The driver calls remembered.
const MOST_CALLS: usize = 1 << 16;

/// A call of an entry point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The driver's symbol.
    pub(super) symbol: &'static str,
    /// The method's name.
    pub(super) method: &'static str,
    /// Where the program made it.
    pub(super) place: Place,
    /// The context current on the calling thread, 0 for none.
    pub(super) current: u64,
}

impl Call {
    /// The operation's stable name in reports.
    pub(super) fn operation(&self) -> &'static str {
        self.method.strip_suffix("_async").unwrap_or(self.method)
    }

    /// The operation in words.
    pub(super) fn words(&self) -> &'static str {
        match self.operation() {
            "memcpy_htod" => "memcpy HtoD",
            "memcpy_dtoh" => "memcpy DtoH",
            "memcpy_dtod" => "memcpy DtoD",
            "memcpy_peer" => "peer memcpy",
            "memset_d8" => "8-bit memset",
            "memset_d16" => "16-bit memset",
            "memset_d32" => "32-bit memset",
            _ => self.symbol,
        }
    }
}

/// The state of a simulator.
#[derive(Debug)]
pub(super) struct Machine {
    me: Weak<Mutex<Machine>>,
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
    pub(super) graph: Graph,
    pub(super) schedule: Schedule,
    pub(super) faults: Faults,
    pub(super) reports: Reports,
    pub(super) calls: VecDeque<&'static str>,
}

impl Machine {
    /// A machine as the options want it.
    pub(super) fn new(options: SimOptions, token: current::Token) -> Arc<Mutex<Self>> {
        let mut pools = BTreeMap::new();
        let devices: Vec<_> = (0..options.devices as usize)
            .map(|index| {
                let device = Device::new(options.memory_bytes);
                pools.insert(device.default_pool, Pool::new(index, 0));
                device
            })
            .collect();
        Arc::new_cyclic(|me| {
            Mutex::new(Self {
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
                graph: Graph::default(),
                schedule: Schedule::new(options.order),
                faults: Faults::new(&options.faults),
                reports: Reports::default(),
                calls: VecDeque::new(),
                options,
            })
        })
    }

    /// Remembers a call.
    pub(super) fn record(&mut self, symbol: &'static str) {
        if self.calls.len() == MOST_CALLS {
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

    /// For a call whose operand has a context of its own: the current one need not exist, but must not be a ruin.
    pub(super) fn unburdened(&self, call: &Call) -> Answer {
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
    /// `also`.
    pub(super) fn issue(&mut self, call: &Call, stream: u64, op: Op, also: Option<NodeId>) -> Answer<NodeId> {
        let of = self.streams.get(&stream).ok_or(Status::INVALID_HANDLE)?;
        let (context, number) = (of.context, of.number);
        self.alive(context)?;
        let mut after = self.before_next(stream);
        after.extend(also);
        after.retain(|id| self.graph.is_pending(*id));
        let users: Vec<_> = op.spans().map(|span| span.allocation).collect();
        let id = self.graph.add(Node { op, after, context, stream: number, call: *call });
        for user in users {
            self.note_user(user, id);
        }
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.tail = Some(id);
        }
        if self.schedule.is_eager() {
            self.force(&[id]);
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

    /// Runs everything pending that uses an allocation.
    pub(super) fn settle(&mut self, allocation: u64) {
        let users = self.memory.get(allocation).map(|allocation| allocation.users.clone());
        self.force(&users.unwrap_or_default());
    }

    /// Kills a context, or all of them: what is queued lands later, from another thread.
    pub(super) fn kill(&mut self, context: u64, status: Status) {
        let all = !self.contexts.contains_key(&context);
        for (key, context_of) in &mut self.contexts {
            if all || *key == context {
                context_of.dead.get_or_insert(status);
            }
        }
        if self.graph.is_empty() {
            return;
        }
        let machine = Weak::clone(&self.me);
        let land = move || {
            std::thread::sleep(LANDING_DELAY);
            let Some(machine) = machine.upgrade() else { return };
            let mut machine = machine.lock().unwrap_or_else(PoisonError::into_inner);
            machine.land();
        };
        if std::thread::Builder::new().name("memcore-sim-landing".to_owned()).spawn(land).is_err() {
            self.land();
        }
    }

    /// Runs what is queued in dead contexts.
    fn land(&mut self) {
        let dead: Vec<_> =
            self.contexts.iter().filter(|(_, context)| context.dead.is_some()).map(|(key, _)| *key).collect();
        for context in dead {
            let pending = self.graph.of_context(context);
            self.force(&pending);
        }
    }

    /// Runs everything and looks for leaks; all violations. Nothing is unmapped: what is live may have an owner.
    pub(super) fn check(&mut self) -> Vec<Violation> {
        let pending = self.graph.all();
        self.force(&pending);
        let leaks: Vec<_> =
            self.memory.iter().filter(|one| self.alive(one.context).is_ok()).map(|one| one.id).collect();
        for id in leaks {
            self.report_leak(id);
        }
        self.reports.all()
    }

    /// Records that an allocation was never freed.
    pub(super) fn report_leak(&mut self, id: u64) {
        let Some(allocation) = self.memory.get_mut(id) else { return };
        if core::mem::replace(&mut allocation.accounted_for, true) {
            return;
        }
        let (operation, help) = match allocation.kind {
            Kind::Device => ("mem_alloc", "free it, or let its owner go out of scope, before the end"),
            Kind::Pool(_) => ("mem_alloc_async", "free it, or let its owner go out of scope, before the end"),
            Kind::Managed => ("mem_alloc_managed", "free it, or let its owner go out of scope, before the end"),
            Kind::Locked => ("mem_host_alloc", "free it, or let its owner go out of scope, before the end"),
            Kind::Registered => ("mem_host_register", "unregister it before its memory is freed"),
        };
        let summary =
            format!("{} bytes of {} (allocation #{id}) were never freed", allocation.size, allocation.kind.what());
        let violation = Violation::new(ViolationKind::Leak, operation, allocation.made, summary, help)
            .about(Some(allocation.subject()))
            .range(0, allocation.size);
        self.reports.push(violation);
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        // The last owner of the driver is gone, but leaked references into managed memory may not be.
        for allocation in self.memory.iter() {
            if allocation.kind == Kind::Managed
                && let Some(device) = self.devices.get_mut(allocation.device)
            {
                device.space.keep_managed = true;
            }
        }
    }
}

/// A handle that no simulator of this process has given yet: a number, never an address.
pub(super) fn new_handle() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0x5100_0000);
    NEXT.fetch_add(0x10, Ordering::Relaxed)
}

/// A handle as the driver's pointer types.
pub(super) fn as_pointer<T>(handle: u64) -> *mut T {
    ptr::without_provenance_mut(handle as usize)
}

/// The number of a handle.
pub(super) fn as_handle<T>(pointer: *mut T) -> u64 {
    pointer.addr() as u64
}

/// Hands a result to the caller.
///
/// # Safety
///
/// `out` is null or good for a write.
pub(super) unsafe fn give<T>(out: *mut T, value: T) -> Answer {
    if out.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: not null, so good for a write by the caller's promise; C callers promise no alignment of `void *`.
    unsafe { out.write_unaligned(value) };
    Ok(())
}
