//! What a test runs on.

use std::fmt;

use libtest_mimic::Failed;
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};
use proptest::test_runner::{Config, TestRunner};

pub(crate) use crate::check::{NOT_SAID, Outcome, all_freed, all_waited, joined, refused, waited};

/// A mebibyte. It is smaller where each test runs thousands of times: in `tests/sweep`.
pub(crate) const MIB: usize = 1 << 20;

/// So many turns of a loop, or fewer in `tests/sweep`.
pub(crate) const fn turns(all: u32) -> u32 {
    all
}

/// What runs random programs, other ones each time.
pub(crate) fn random_programs(config: Config) -> TestRunner {
    TestRunner::new(config)
}

/// A test, by name, that runs in the context it is given, which is entered.
pub(crate) type Test = (&'static str, fn(&Context) -> Outcome);

/// Lists the tests of a module under their own names.
macro_rules! tests {
    ($($name:ident),* $(,)?) => {
        pub(crate) const TESTS: &[$crate::rig::Test] =
            &[$((concat!(module_path!(), "::", stringify!($name)), $name as fn(&memcore::Context) -> $crate::rig::Outcome)),*];
    };
}
pub(crate) use tests;

/// The driver that `MEMCORE_DRIVER` names.
#[derive(Clone, Copy)]
pub(crate) struct Rig {
    simulated: bool,
    version: (u32, u32),
}

impl Rig {
    pub(crate) fn new() -> memcore::Result<Self> {
        let device = Device::new(0)?;
        Ok(Self { simulated: device.is_simulated(), version: device.driver_version()? })
    }

    pub(crate) fn is_simulated(&self) -> bool {
        self.simulated
    }

    /// Whether there are two devices to test with.
    pub(crate) fn has_two_devices(&self) -> bool {
        self.simulated || Device::count().is_ok_and(|count| count > 1)
    }

    pub(crate) fn run(&self, test: fn(&Context) -> Outcome) -> Result<(), Failed> {
        self.with_devices(1, |contexts| test(&contexts[0]))
    }

    pub(crate) fn run_on_two(&self, test: fn(&Context, &Context) -> Outcome) -> Result<(), Failed> {
        self.with_devices(2, |contexts| test(&contexts[0], &contexts[1]))
    }

    /// Runs a test in the contexts of so many devices, the first of which is entered; then nothing may be amiss.
    fn with_devices(&self, count: u32, test: impl FnOnce(&[Context]) -> Outcome) -> Result<(), Failed> {
        let sim = self.simulated.then(|| Sim::new(SimOptions::default().devices(count)));
        let device = |ordinal| sim.as_ref().map_or_else(|| Device::new(ordinal), |sim| sim.device(ordinal));
        let open = |ordinal| device(ordinal).and_then(|device| Context::new(&device));
        let contexts = (0..count).map(open).collect::<memcore::Result<Vec<_>>>()?;
        let entered = contexts[0].enter();
        test(&contexts)?;
        drop(entered);
        for context in &contexts {
            context.synchronize()?;
            match context.take_drop_errors().as_slice() {
                [] => {}
                errors => return Err(format!("frees failed: {errors:?}").into()),
            }
        }
        match sim.map(Sim::finish).unwrap_or_default().as_slice() {
            [] => Ok(()),
            violations => Err(format!("{} violations, the first:\n{}", violations.len(), violations[0]).into()),
        }
    }
}

impl fmt::Display for Rig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = Device::new(0).and_then(|device| device.name()).map_err(|_| fmt::Error)?;
        let (major, minor) = self.version;
        let kind = if self.simulated { "simulated" } else { "CUDA" };
        write!(f, "{device} ({kind} driver, CUDA {major}.{minor})")
    }
}
