//! The simulated device: CUDA without a GPU, which checks the program that runs on it.
//!
//! It has the driver's entry points, results and codes. Work on streams is deferred and runs as late as the rules of
//! CUDA allow, so that a missing wait shows as data that is not there; see [`Order`]. Device addresses cannot be read
//! by the host, and memory that was never written or was freed reads as `0xCB` bytes.
//!
//! A program runs on it with `MEMCORE_DRIVER=sim`, and then these variables say what it is made of:
//!
//! | variable | means | default |
//! |---|---|---|
//! | `MEMCORE_SIM_DEVICES` | how many devices there are, 0 to 32 | 1 |
//! | `MEMCORE_SIM_MEMORY` | bytes of memory of each device | 17179869184 |
//! | `MEMCORE_SIM_ORDER` | `lazy`, `eager` or `random:SEED` | `lazy` |
//! | `MEMCORE_SIM_WITHOUT` | what it lacks, with commas between: `pools`, `managed` memory, `concurrent_managed_access`, `host_registration`, `read_only_registration`, `host_pages`, `huge_pages`, or driver functions by their versioned names | nothing |
//! | `MEMCORE_SIM_FAULTS` | which calls fail, with commas between, as below | none |
//! | `MEMCORE_SIM_REPORT` | a file that violations are added to; `%p` in its name is the process's number | the log |
//! | `MEMCORE_SIM_STRICT` | `1`: the process ends with the number of violations as its exit status, if there are any | `0` |
//! | `MEMCORE_SIM_LEAKS` | `1`: leaks are looked for when the process ends | `0` |
//! | `MEMCORE_SIM_REPORT` | a file that violations are added to; `%p` is the process's number | the log |
//! | `MEMCORE_SIM_STRICT` | `1`: the process ends with the number of violations as its exit status, if there are any | `0` |
//! | `MEMCORE_SIM_LEAKS` | `1`: leaks are looked for when the process ends | `0` |
//!
//! A fault is written as its constructor is called, with `:` for the rest; a status left out is 999, `UNKNOWN`:
//!
//! | fault | constructor |
//! |---|---|
//! | `random:SEED:PER_MILLE:STATUS` | [`Fault::random`] |
//! | `random:SEED:PER_MILLE:STATUS:ENTRY+ENTRY` | [`Fault::random_of`] |
//! | `nth:ENTRY:N:STATUS` | [`Fault::nth`] |
//! | `every:ENTRY:STATUS` | [`Fault::every`] |
//! | `sticky:ENTRY:N:STATUS` | [`Fault::sticky`] |
//! | `deinitialized:ENTRY:N` | [`Fault::deinitialized`] |
//!
//! `MEMCORE_TRACE=file.json` writes a timeline of it, as of a GPU.
//!
//! In code, each [`Sim`] is a driver of its own, with options that a test chooses: limits, missing features, calls that
//! fail ([`Fault`]).
//!
//! What is found wrong is a [`Violation`] of some [`ViolationKind`]: memory used when it is not there, freed when it is
//! not there, or never; operations on the same bytes that nothing orders; bytes that nothing has written; host memory
//! changed or freed in flight; events, contexts and devices that are not the right ones. It is recorded and logged at
//! once, as an error, and the call returns what the driver would. It is told once, not again for what follows from it.
//! On the simulator that `MEMCORE_DRIVER` names it is written to stderr instead where nothing is logged
//! (`log::max_level()` is `Off`, as without a logger). Leaks are looked for by [`Sim::finish`], which nothing calls for that
//! simulator: there `MEMCORE_SIM_LEAKS` asks for it.
//!
//! An order between operations counts only if CUDA documents it. So a program can be wrong here that always worked on
//! some GPU: what it relies on is promised by nobody.
//!
//! A program that touches a device address from the host dies of it, with a message that names the allocation.
//!
//! What it cannot see: kernels, since it runs none; how fast a GPU is, and mistakes of a driver; that the host *reads*
//! memory in flight (it reads `0xCB` bytes); a change of host memory that is undone before the copy runs; registered
//! memory that was unmapped and mapped anew at the same address. `docs/simulator.md` has all of this at more length, and
//! what the checks cost.
//!
//! With the feature `libcuda` the device has the driver's C functions, and a `cdylib` of this crate stands in for
//! `libcuda.so.1` under programs that do not know memcore: `docs/stand-in.md`.

// How it is built: `front` takes every call, `machine` holds the state, and a file for each part of the driver has the
// entry points of that part. Work on streams becomes a graph (`graph`) of operations (`operation`), `run` runs it, and
// `order` says when. The checks: `operand` looks at addresses, `detect` at order (`clock`, `shadow`) and at what was
// written (`written`), `watch` at what the host does, `host_copy` at what memcore copies itself, `leak` at what is left;
// `report` has their words, `listener` who hears them, `end` what is said when the process ends. `libcuda` has the C functions.
//
// Rules that every part keeps:
// - Handles are keys of tables, never pointers: whatever a program passes is looked up.
// - Device addresses come from a reserved range (`space`) that no host access reaches; the bytes lie elsewhere
//   (`backing`) and are always initialised.
// - What the host can reach is never unmapped while something queued uses it, or while it may have an owner.
// - Nothing panics, and no lock is held while the program's own code runs.
// - An entry point that gets `Run::Later` has changed nothing yet: it is called again.

mod advice;
mod alloc;
mod array;
mod array_shape;
mod backing;
mod call;
mod capture;
mod clock;
mod context;
mod copy;
mod current;
mod death;
mod detect;
mod device;
mod end;
mod event;
mod fault;
mod free;
mod freed;
mod front;
mod graph;
mod guard;
mod host;
mod host_copy;
mod host_function;
mod leak;
#[cfg(feature = "libcuda")]
mod libcuda;
mod listener;
mod machine;
mod managed;
mod mapped;
mod memory;
mod memset;
mod operand;
mod operation;
mod options;
mod order;
mod pages;
mod peer;
mod pitched;
mod place;
mod pointer;
mod pool;
mod report;
mod rows;
mod run;
mod shadow;
mod shared;
mod space;
mod stream;
mod stream_capture;
#[cfg(test)]
pub(super) mod tests;
mod trap;
mod watch;
mod written;

pub use fault::Fault;
pub use options::SimOptions;
pub use order::Order;
pub use report::{Violation, ViolationKind};
pub use stream_capture::{CaptureMode, StreamCapture};

use std::sync::Arc;

use super::Driver;
use crate::error::Result;
use front::SimDriver;

/// Simulated devices of its own: a driver that shares nothing with any other.
///
/// ```
/// use memcore::sim::{Sim, SimOptions};
///
/// let sim = Sim::new(SimOptions::default().devices(2));
/// assert!(sim.violations().is_empty());
/// ```
#[derive(Debug)]
pub struct Sim {
    driver: Arc<SimDriver>,
}

impl Sim {
    /// Simulated devices as the options want them.
    #[must_use]
    pub fn new(options: SimOptions) -> Self {
        Self { driver: Arc::new(SimDriver::new(options, false)) }
    }

    /// The process's own simulated devices, as the `MEMCORE_SIM_*` variables want them.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidVariable`](crate::Error::InvalidVariable) where a variable means nothing.
    pub(crate) fn from_environment() -> Result<Self> {
        Ok(Self { driver: Arc::new(SimDriver::of_process(SimOptions::from_environment()?)) })
    }

    /// The driver. Its memory lives until the last owner of the driver is gone.
    pub(crate) fn driver(&self) -> Arc<dyn Driver> {
        let driver: Arc<SimDriver> = Arc::clone(&self.driver);
        driver
    }

    /// The driver functions that were called since the start or the last [`Sim::clear_calls`], oldest first, by their
    /// versioned names. Of very many, the last 65536.
    #[must_use]
    pub fn calls(&self) -> Vec<&'static str> {
        self.driver.lock().calls.iter().copied().collect()
    }

    /// Forgets the calls so far.
    pub fn clear_calls(&self) {
        self.driver.lock().calls.clear();
    }

    /// The calls that were made to fail since the start, oldest first, each as the [`Fault`] that fails it again: of a
    /// random one, the calls that it chose. Of very many, the first 65536.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Fault, Sim, SimOptions};
    /// use memcore::Status;
    ///
    /// let faults = Fault::random_of(["cuMemHostAlloc"], 1, 1000, Status::OUT_OF_MEMORY);
    /// let sim = Sim::new(SimOptions::default().fail(faults));
    /// let context = Context::new(&sim.device(0)?)?;
    /// assert!(locked_vec![in &context; 0u8; 10].is_err());
    /// assert_eq!(sim.failures(), [Fault::nth("cuMemHostAlloc", 1, Status::OUT_OF_MEMORY)]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn failures(&self) -> Vec<Fault> {
        self.driver.lock().faults.failures().to_vec()
    }

    /// The violations found so far. Leaks are not among them: [`Sim::finish`] looks for those.
    #[must_use]
    pub fn violations(&self) -> Vec<Violation> {
        self.driver.lock().reports.all()
    }

    /// Ends the simulation: runs what is still queued, looks for leaks, and returns every violation found since the
    /// start, in order. Waits until the host functions of live contexts have returned.
    ///
    /// Memory that still has an owner is reported as a leak, stays mapped, and can still be used and freed by its
    /// owner.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Sim, SimOptions, ViolationKind};
    ///
    /// let sim = Sim::new(SimOptions::default());
    /// let context = Context::new(&sim.device(0)?)?;
    /// let _entered = context.enter();
    /// std::mem::forget(device_vec![1.0f32; 100]?);
    ///
    /// let violations = sim.finish();
    /// assert_eq!(violations.len(), 1);
    /// assert_eq!(violations[0].kind(), ViolationKind::Leak);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// A test ends with this; a [`Violation`] has no `==`, and its `Debug` says what happened and where:
    ///
    /// ```
    /// # use memcore::sim::{Sim, SimOptions};
    /// # let sim = Sim::new(SimOptions::default());
    /// let violations = sim.finish();
    /// assert!(violations.is_empty(), "{violations:?}");
    /// ```
    #[must_use = "the violations are the result"]
    pub fn finish(self) -> Vec<Violation> {
        self.driver.finish()
    }
}
