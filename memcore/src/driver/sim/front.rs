//! The simulated driver: one place that every call of every entry point passes.

use core::ffi::{c_char, c_void};
use core::fmt;
use core::mem;
use core::ops::Range;
use std::sync::{Arc, MutexGuard, PoisonError};

use super::call::{Answer, Call, as_handle};
use super::current;
use super::end;
use super::fault::Failure;
use super::graph::NodeId;
use super::machine::Machine;
use super::options::SimOptions;
use super::place::Place;
use super::report::Violation;
use super::shared::Shared;
use super::trap;
use crate::driver::entry_points::entry_points;
use crate::driver::ffi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUcontext, CUdevice,
    CUdeviceptr, CUevent, CUgraph, CUhostFn, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUmemoryPool, CUstream,
    CUuuid,
};
use crate::driver::{Driver, DriverKind, HostRows};
use crate::error::Status;

/// What an entry point does to the state. Not a type parameter: [`SimDriver::call`] would be compiled for each entry point.
pub(super) type Body<'a> = &'a dyn Fn(&mut Machine, &Call) -> Answer;

/// A simulated driver and its devices.
pub(crate) struct SimDriver {
    token: current::Token,
    /// The reserved addresses of each device: fixed, so that asking needs no lock.
    ranges: Box<[Range<u64>]>,
    /// Driver functions that this driver lacks.
    missing: Box<[String]>,
    shared: Arc<Shared>,
}

impl SimDriver {
    /// A driver as the options want it: the process's own, or one that a program made in code.
    pub(super) fn new(options: SimOptions, process_wide: bool) -> Self {
        for name in
            options.faults.iter().flat_map(super::fault::Fault::entries).chain(&options.missing).map(String::as_str)
        {
            if !has_entry_point(name) {
                log::warn!(
                    "simulated device: memcore calls no driver function {name:?}; what the options say of it has no effect"
                );
            }
        }
        let token = current::Token::default();
        let missing = options.missing.clone().into_boxed_slice();
        let shared = Shared::new(options, Arc::clone(&token), process_wide);
        trap::watch(Arc::downgrade(&shared));
        let ranges = shared.lock().devices.iter().map(|device| device.space.range()).collect();
        Self { token, ranges, missing, shared }
    }

    /// The process's own, with these options.
    pub(super) fn of_process(options: SimOptions) -> Self {
        let audience = options.audience.clone();
        let driver = Self::new(options, true);
        end::watch(&driver.shared, audience);
        driver
    }

    /// The state.
    pub(super) fn lock(&self) -> MutexGuard<'_, Machine> {
        self.shared.lock()
    }

    /// What every entry point does.
    pub(super) fn call(&self, call: &Call, body: Body<'_>) -> Status {
        let symbol = call.symbol;
        if self.lacks(symbol) {
            return Status::MISSING_SYMBOL;
        }
        let mut machine = self.lock();
        machine.record(symbol);
        if machine.faults.is_shut_down {
            return Status::DEINITIALIZED;
        }
        if current::in_host_function(&self.token) && !IN_HOST_FUNCTIONS.contains(&symbol) {
            return Status::NOT_PERMITTED;
        }
        let failure = machine.faults.count(symbol);
        if failure.is_some() {
            let fault = machine.faults.random.clone();
            machine.reports.fault = fault;
        }
        let status = match failure {
            Some(Failure::Once(status)) => status,
            Some(Failure::Sticky(status)) => {
                machine.kill(call.current, status);
                status
            }
            Some(Failure::Deinitialized) => {
                machine.shut_down();
                Status::DEINITIALIZED
            }
            None if !machine.initialised && !BEFORE_INIT.contains(&symbol) => Status::NOT_INITIALIZED,
            None => {
                let answer;
                (machine, answer) = self.make(machine, call, body);
                answer.err().unwrap_or(Status::SUCCESS)
            }
        };
        machine.advance();
        machine.guard_after_call();
        self.shared.unlock(machine);
        status
    }

    /// Whether it was made without a driver function.
    pub(super) fn lacks(&self, symbol: &str) -> bool {
        self.missing.iter().any(|missing| missing == symbol)
    }

    /// Tells of what is no violation.
    #[cfg(feature = "libcuda")]
    pub(super) fn tell(&self, what: &dyn fmt::Display) {
        self.shared.tell(log::Level::Warn, what);
    }

    /// A call by this thread of the entry point with this symbol and method.
    pub(super) fn called(&self, symbol: &'static str, method: &'static str, place: Place) -> Call {
        Call { symbol, method, place, current: current::get(&self.token), is_per_thread: false }
    }

    /// Makes a call, and waits for what it says that it waits for.
    fn make<'m>(
        &'m self,
        mut machine: MutexGuard<'m, Machine>,
        call: &Call,
        body: Body<'_>,
    ) -> (MutexGuard<'m, Machine>, Answer) {
        if let Err(status) = machine.check_captures(call) {
            return (machine, Err(status));
        }
        loop {
            let answer = body(&mut machine, call);
            machine.report_context(call, answer);
            let (unfinished, again) = (mem::take(&mut machine.unfinished), mem::take(&mut machine.again));
            if unfinished.is_empty() {
                return (machine, answer);
            }
            let finished;
            (machine, finished) = self.wait(machine, &unfinished);
            if !again {
                return (machine, answer.and(finished));
            }
        }
    }

    /// Waits, without the lock, for operations that come after a host function, or until their context has died.
    fn wait<'m>(
        &'m self,
        mut machine: MutexGuard<'m, Machine>,
        unfinished: &[NodeId],
    ) -> (MutexGuard<'m, Machine>, Answer) {
        machine.host_functions.waiting += 1;
        self.shared.progress.notify_all();
        let answer = loop {
            machine.run_ready(unfinished);
            let Some(context) = unfinished.iter().find_map(|id| machine.graph.get(*id)).map(|node| node.context) else {
                break Ok(());
            };
            if let Err(status) = machine.alive(context) {
                break Err(status);
            }
            machine = self.shared.progress.wait(machine).unwrap_or_else(PoisonError::into_inner);
        };
        machine.host_functions.waiting -= 1;
        (machine, answer)
    }

    /// Runs what is queued, waiting for host functions, and looks for leaks; all violations.
    pub(super) fn finish(&self) -> Vec<Violation> {
        let mut machine = self.lock();
        if !current::in_host_function(&self.token) {
            machine.land();
            machine.host_functions.waiting += 1;
            self.shared.progress.notify_all();
            loop {
                let all = machine.graph.all();
                machine.run_ready(&all);
                // A function that runs in a dead context is not waited for.
                if !machine.is_live_work_pending() {
                    break;
                }
                machine = self.shared.progress.wait(machine).unwrap_or_else(PoisonError::into_inner);
            }
            machine.host_functions.waiting -= 1;
        }
        let all = machine.check();
        self.shared.unlock(machine);
        all
    }
}

impl fmt::Debug for SimDriver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = f.debug_struct("SimDriver");
        all.field("devices", &self.ranges);
        // Not a lock that is waited for: whoever prints may hold it.
        if let Some(machine) = self.shared.try_lock() {
            all.field("faults", &machine.options.faults).field("failures", &machine.faults.failures());
        }
        all.finish_non_exhaustive()
    }
}

impl DriverKind for SimDriver {
    fn is_simulated(&self) -> bool {
        true
    }

    fn reserved_by(&self, address: u64) -> Option<i32> {
        let index = self.ranges.iter().position(|range| range.contains(&address))?;
        i32::try_from(index).ok()
    }

    fn observe(&self, stream: CUstream) {
        self.lock().host_joins(as_handle(stream));
    }

    fn keep(&self, address: u64) {
        let mut machine = self.lock();
        let id = machine.memory.at(address).map(|allocation| allocation.id);
        if let Some(allocation) = id.and_then(|id| machine.memory.get_mut(id)) {
            allocation.accounted_for = true;
        }
    }

    unsafe fn note_host_allocation(&self, address: u64, bytes: usize, zeros: bool) {
        let call = self.called("cuMemHostAlloc", "mem_host_alloc", Place::caller());
        // SAFETY: the caller's contract.
        unsafe { self.lock().note_host_allocation(&call, address, bytes, zeros) };
    }

    unsafe fn note_host_free(&self, address: u64) {
        let call = self.called("cuMemFreeHost", "mem_free_host", Place::caller());
        let (mut machine, _) = self.make(self.lock(), &call, &|machine, call| {
            // SAFETY: the caller's contract.
            unsafe { machine.note_host_free(call, address) };
            Ok(())
        });
        machine.advance();
        self.shared.unlock(machine);
    }

    fn refuses_pages(&self) -> bool {
        !self.lock().options.host_pages
    }

    fn refuses_huge_pages(&self) -> bool {
        !self.lock().options.huge_pages
    }

    fn lets_host_copy(&self, rows: HostRows) -> bool {
        self.lock().lets_host_copy(rows)
    }
}

/// The entry points that work in a host function, as on an H200 (`scripts/probes/host_function.py`; the other
/// memsets are taken from the 8-bit one): in it no context is current, nor can one be made so, and copies are refused
/// whatever their stream.
const IN_HOST_FUNCTIONS: [&str; 26] = [
    "cuInit",
    "cuDriverGetVersion",
    "cuThreadExchangeStreamCaptureMode",
    "cuStreamBeginCapture_v2",
    "cuStreamDestroy_v2",
    "cuStreamSynchronize",
    "cuStreamQuery",
    "cuStreamWaitEvent",
    "cuStreamIsCapturing",
    "cuStreamWriteValue32_v2",
    "cuLaunchHostFunc",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuEventElapsedTime",
    "cuMemPrefetchAsync",
    "cuMemsetD8Async",
    "cuMemsetD16Async",
    "cuMemsetD32Async",
    "cuMemsetD2D8Async",
    "cuMemsetD2D16Async",
    "cuMemsetD2D32Async",
    "cuStreamAddCallback",
    "cuEventRecordWithFlags",
    "cuEventElapsedTime_v2",
];

/// Whether there is an entry point with this symbol.
pub(super) fn has_entry_point(symbol: &str) -> bool {
    #[cfg(feature = "libcuda")]
    if super::libcuda::has_entry_point(symbol) {
        return true;
    }
    SEAM.contains(&symbol)
}

/// The entry points that work before `cuInit`.
const BEFORE_INIT: [&str; 2] = ["cuInit", "cuDriverGetVersion"];

macro_rules! simulated_driver {
    ($($method:ident = $symbol:literal $(| $per_thread:literal)? ($($arg:ident: $type:ty),*);)*) => {
        impl Driver for SimDriver {
            $(
                unsafe fn $method(&self, $($arg: $type),*) -> Status {
                    let call = self.called($symbol, stringify!($method), Place::caller());
                    self.call(&call, &|machine, call| {
                        #[allow(unused_unsafe, reason = "entry points that touch no memory of the caller are safe")]
                        // SAFETY: the driver contract, which the caller of this method keeps too.
                        unsafe { machine.$method(call, $($arg),*) }
                    })
                }
            )*
        }

        /// The symbol of every entry point of the seam.
        pub(super) const SEAM: &[&str] = &[$($symbol),*];
    };
}
entry_points!(simulated_driver);
