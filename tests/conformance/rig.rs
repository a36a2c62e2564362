//! What a test runs on.

use std::error::Error;
use std::fmt;

use libtest_mimic::Failed;
use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};

/// What a test returns: any error fails it.
pub(crate) type Outcome = Result<(), Box<dyn Error>>;

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

    pub(crate) fn run(&self, test: fn(&Context) -> Outcome) -> Result<(), Failed> {
        if self.simulated { on_a_simulator(test) } else { on_the_gpu(test) }
    }
}

fn on_a_simulator(test: fn(&Context) -> Outcome) -> Result<(), Failed> {
    let sim = Sim::new(SimOptions::default());
    let context = Context::new(&sim.device(0)?)?;
    let entered = context.enter();
    test(&context)?;
    drop(entered);
    expect_no_drop_errors(&context)?;
    match sim.finish().as_slice() {
        [] => Ok(()),
        violations => Err(format!("{} violations, the first:\n{}", violations.len(), violations[0]).into()),
    }
}

fn on_the_gpu(test: fn(&Context) -> Outcome) -> Result<(), Failed> {
    let context = Context::new(&Device::new(0)?)?;
    let _entered = context.enter();
    test(&context)?;
    context.synchronize()?;
    expect_no_drop_errors(&context)
}

fn expect_no_drop_errors(context: &Context) -> Result<(), Failed> {
    match context.take_drop_errors().as_slice() {
        [] => Ok(()),
        errors => Err(format!("frees failed: {errors:?}").into()),
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
