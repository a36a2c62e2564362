//! The simulated device: the driver's entry points without a GPU.
//!
//! [`front`] takes every call, [`machine`] holds the state, and a file for each part of the driver has the entry points of
//! that part. Work on streams becomes a graph ([`exec`]) that runs when a wait forces it, or when the [`Order`] says so.
//!
//! Rules that every part keeps:
//! - Handles are keys of tables, never pointers: whatever a program passes is looked up.
//! - Device addresses come from a reserved range ([`space`]) that no host access reaches; the bytes lie elsewhere
//!   ([`backing`]) and are always initialised.
//! - What the host can reach is never unmapped while something queued uses it, or while it may have an owner.
//! - Nothing panics, and no lock is held while the program's own code runs.

mod alloc;
mod backing;
mod context;
mod copy;
mod current;
mod device;
mod event;
mod exec;
mod fault;
mod front;
mod host;
mod machine;
mod memory;
mod options;
mod order;
mod pages;
mod pointer;
mod pool;
mod report;
mod space;
mod stream;
#[cfg(test)]
mod tests;

pub use fault::Fault;
pub use options::SimOptions;
pub use order::Order;
pub use report::{Violation, ViolationKind};

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
        Self { driver: Arc::new(SimDriver::new(options)) }
    }

    /// Simulated devices as the `MEMCORE_SIM_*` variables want them.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidVariable`](crate::Error::InvalidVariable) where a variable means nothing.
    pub(crate) fn from_environment() -> Result<Self> {
        let variable = |name: &str| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned());
        Ok(Self::new(SimOptions::from_variables(variable)?))
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

    /// The violations found so far. Leaks are looked for at the end only.
    #[must_use]
    pub fn violations(&self) -> Vec<Violation> {
        self.driver.lock().reports.all()
    }

    /// Runs everything that is queued and looks for leaks; all violations. What is still allocated stays usable by its
    /// owners.
    pub(crate) fn check(self) -> Vec<Violation> {
        let (all, news) = {
            let mut machine = self.driver.lock();
            (machine.check(), machine.reports.unsaid())
        };
        for violation in news {
            log::error!("simulated device: {violation}");
        }
        all
    }
}
