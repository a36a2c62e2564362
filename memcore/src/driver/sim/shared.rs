//! A simulator's state behind its lock, and how its threads hear of each other.

use core::fmt;
use core::time::Duration;
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError, Weak};
use std::thread;
use std::time::Instant;

use log::Level;

use super::clock::{Agents, Clock};
use super::current;
use super::device::Device;
use super::fault::Faults;
use super::graph::Graph;
use super::host::Retired;
use super::host_function::HostFunctions;
use super::listener::Listener;
use super::machine::Machine;
use super::memory::Memory;
use super::options::SimOptions;
use super::order::Schedule;
use super::pool::Pool;
use super::report::Reports;
use super::shadow::Shadow;

/// The state, and how threads that wait for it to change are told.
#[derive(Debug)]
pub(super) struct Shared {
    machine: Mutex<Machine>,
    /// Work went on that others wait for.
    pub(super) progress: Condvar,
    /// Where what is found is told, of the process's own simulator, which no one asks for its violations.
    listener: Option<Listener>,
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
            listener: process_wide.then(|| Listener::new(&options.audience)),
            machine: Mutex::new(Machine {
                me: Weak::clone(me),
                token,
                initialised: false,
                devices,
                contexts: HashMap::new(),
                #[cfg(feature = "libcuda")]
                made_contexts: HashMap::new(),
                #[cfg(feature = "libcuda")]
                gone_streams: HashSet::new(),
                streams: HashMap::new(),
                stream_count: 0,
                events: HashMap::new(),
                pools,
                peers: HashSet::new(),
                memory: Memory::default(),
                locked_bytes: 0,
                retired: Retired::default(),
                mappings: HashMap::new(),
                host_clock: Clock::default(),
                agents: Agents::default(),
                pageable: Shadow::default(),
                pageable_has_raced: false,
                graph: Graph::default(),
                host_functions: HostFunctions::default(),
                unfinished: Vec::new(),
                again: false,
                captures: HashMap::new(),
                captured_graphs: HashSet::new(),
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

    /// The state, unless a thread uses it.
    pub(super) fn try_lock(&self) -> Option<MutexGuard<'_, Machine>> {
        match self.machine.try_lock() {
            Ok(machine) => Some(machine),
            Err(TryLockError::Poisoned(machine)) => Some(machine.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The state, unless a thread uses it for longer than this.
    pub(super) fn try_lock_for(&self, patience: Duration) -> Option<MutexGuard<'_, Machine>> {
        let since = Instant::now();
        loop {
            let machine = self.try_lock();
            if machine.is_some() || since.elapsed() > patience {
                return machine;
            }
            thread::sleep(Duration::from_micros(100));
        }
    }

    /// Gives the lock back, and then tells of what was found meanwhile: a logger may use the driver.
    pub(super) fn unlock(&self, mut machine: MutexGuard<'_, Machine>) {
        let new = machine.reports.take_new();
        let news = machine.faults.take_news();
        drop(machine);
        if let Some(news) = news {
            self.tell(Level::Warn, &news);
        }
        for violation in new {
            self.tell(Level::Error, &violation);
        }
    }

    /// Tells of something, by the log where no one else listens.
    pub(super) fn tell(&self, level: Level, what: &dyn fmt::Display) {
        if self.listener.as_ref().is_none_or(|listener| !listener.hears(what)) {
            log::log!(level, "simulated device: {what}");
        }
    }
}
