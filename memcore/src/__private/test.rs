//! What `#[memcore::test]` runs a function in.

use core::any::Any;
use core::cell::Cell;
use core::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{ExitCode, Termination};
use std::sync::{Mutex, PoisonError};

use crate::context::Context;
use crate::device::Device;
use crate::driver::sim::{Fault, Order, Sim, SimOptions, Violation};
use crate::driver::{OwnDriver, tests_are_simulated};
use crate::error::Result;
use crate::transfer::wait_for_dropped;

/// What the function of a test may take.
#[diagnostic::on_unimplemented(
    message = "a test of memcore's cannot take a `{Self}`",
    label = "write `context: &Context`, or no argument"
)]
pub trait Argument<'c> {
    /// The argument, of the context that the test runs in.
    fn of(context: &'c Context) -> Self;
}

impl<'c> Argument<'c> for &'c Context {
    fn of(context: &'c Context) -> Self {
        context
    }
}

/// What the attribute says.
#[derive(Debug, Default)]
pub struct Options {
    devices: Option<u32>,
    memory: Option<u64>,
    order: Option<Order>,
    every_order: bool,
    without_pools: bool,
    without_concurrent_managed_access: bool,
    /// Of a test whose body is to panic, what the message has in it.
    expected_panic: Option<&'static str>,
}

impl Options {
    /// None said.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// How many devices there are.
    #[must_use]
    pub fn devices(self, count: u32) -> Self {
        Self { devices: Some(count), ..self }
    }

    /// Bytes of memory of each device.
    #[must_use]
    pub fn memory(self, bytes: u64) -> Self {
        Self { memory: Some(bytes), ..self }
    }

    /// When queued work runs.
    #[must_use]
    pub fn order(self, order: Order) -> Self {
        Self { order: Some(order), ..self }
    }

    /// The body runs once under each of [`ORDERS`].
    #[must_use]
    pub fn every_order(self) -> Self {
        Self { every_order: true, ..self }
    }

    /// The devices have no memory pools.
    #[must_use]
    pub fn without_pools(self) -> Self {
        Self { without_pools: true, ..self }
    }

    /// The host may not touch managed memory while a device works.
    #[must_use]
    pub fn without_concurrent_managed_access(self) -> Self {
        Self { without_concurrent_managed_access: true, ..self }
    }

    /// The body is to panic, with this in its message.
    #[must_use]
    pub fn should_panic(self, expected: &'static str) -> Self {
        Self { expected_panic: Some(expected), ..self }
    }

    /// What the environment says, and then the attribute.
    fn machine(&self) -> Result<SimOptions> {
        let mut machine = SimOptions::from_environment()?;
        if let Some(count) = self.devices {
            machine = machine.devices(count);
        }
        if let Some(bytes) = self.memory {
            machine = machine.memory_bytes(bytes);
        }
        if let Some(order) = self.order {
            machine = machine.order(order);
        }
        if self.without_pools {
            machine = machine.without_pools();
        }
        if self.without_concurrent_managed_access {
            machine = machine.without_concurrent_managed_access();
        }
        Ok(machine)
    }
}

/// The orders of `order = "all"`, as the attribute writes them. Always the same: a failure is there the next time too.
const ORDERS: [(&str, Order); 6] = [
    ("lazy", Order::Lazy),
    ("eager", Order::Eager),
    ("random:1", Order::Random(1)),
    ("random:2", Order::Random(2)),
    ("random:3", Order::Random(3)),
    ("random:4", Order::Random(4)),
];

/// A run of the body.
struct Run {
    ended: Ended,
    /// What the device found, leaks included.
    found: Vec<Violation>,
    /// The driver calls that were made to fail.
    failed: Vec<Fault>,
}

/// How the body ended.
enum Ended {
    Well,
    /// It returned an error, which has been printed.
    Failed,
    Panicked(Box<dyn Any + Send>),
}

/// Runs the body of a test, on the driver that `MEMCORE_DRIVER` names.
///
/// # Panics
///
/// If the test fails, unless its body is to panic: that test fails by returning.
#[track_caller]
pub fn run<T: Termination>(options: &Options, body: impl Fn(&Context) -> T) {
    let ended = match tests_are_simulated() {
        Ok(true) => on_simulated_machines(options, body),
        Ok(false) => on_the_gpu(options, body)
            .map(|ended| judge(options, None, Run { ended, found: Vec::new(), failed: Vec::new() })),
        Err(error) => Err(error.to_string()),
    };
    match ended {
        Ok(Verdict::Passed) => {}
        Ok(Verdict::Panics(payload)) => resume_unwind(payload),
        // A panic of the harness's would pass for the one that is expected. Returning, the test has not panicked.
        Ok(Verdict::Failed(reason)) | Err(reason) if options.expected_panic.is_some() => say(&reason),
        Ok(Verdict::Failed(reason)) | Err(reason) => panic!("{reason}"),
    }
}

/// What is to become of a test.
enum Verdict {
    Passed,
    /// It ends with the body's own panic.
    Panics(Box<dyn Any + Send>),
    Failed(String),
}

/// Runs the body on a new machine, under every order where the test asks for that; stops at the first failure.
fn on_simulated_machines<T: Termination>(
    options: &Options,
    body: impl Fn(&Context) -> T,
) -> core::result::Result<Verdict, String> {
    let machine = options.machine().map_err(|error| error.to_string())?;
    if !options.every_order {
        return Ok(judge(options, None, simulate(machine, &body)?));
    }
    let mut last = Verdict::Passed;
    for (name, order) in ORDERS {
        last = judge(options, Some(name), simulate(machine.clone().order(order), &body)?);
        match &last {
            Verdict::Passed => {}
            Verdict::Panics(payload) if options.expected_panic.is_some_and(|text| has_text(&**payload, text)) => {}
            _ => break,
        }
    }
    Ok(last)
}

/// Runs the body on a machine of its own.
fn simulate<T: Termination>(machine: SimOptions, body: &impl Fn(&Context) -> T) -> core::result::Result<Run, String> {
    let sim = Sim::new(machine);
    let _own = OwnDriver::set(sim.driver());
    let opened = sim.device(0).and_then(|device| Context::new(&device));
    let context = opened.map_err(|error| format!("{error}{}", failed_calls(&sim.failures())))?;
    let _entered = context.enter();
    let ended = caught(body, &context);
    // With the context open: what is left in it is looked for, and what is its own is known.
    let failed = sim.failures();
    Ok(Run { ended, found: sim.finish(), failed })
}

/// Runs the body on device 0, while no other test of this process does.
fn on_the_gpu<T: Termination>(options: &Options, body: impl Fn(&Context) -> T) -> core::result::Result<Ended, String> {
    static TURN: Mutex<()> = Mutex::new(());
    thread_local! {
        static HAS_TURN: Cell<bool> = const { Cell::new(false) };
    }
    // A test that another one calls has its turn.
    let is_outer = !HAS_TURN.replace(true);
    let turn = is_outer.then(|| TURN.lock().unwrap_or_else(PoisonError::into_inner));
    let ended = on_device_0(options, body);
    HAS_TURN.set(!is_outer);
    drop(turn);
    ended
}

fn on_device_0<T: Termination>(options: &Options, body: impl Fn(&Context) -> T) -> core::result::Result<Ended, String> {
    let open = || {
        let context = Context::new(&Device::new(0)?)?;
        Ok((context, Device::count()?))
    };
    let (context, count) = open().map_err(|error: crate::Error| error.to_string())?;
    let wanted = options.devices.unwrap_or(1);
    if count < wanted {
        return Err(format!(
            "the test asks for {wanted} devices, and the driver has {count}: run it with MEMCORE_DRIVER=sim"
        ));
    }
    let _entered = context.enter();
    Ok(caught(&body, &context))
}

/// Runs the body, and waits for the transfers that it has dropped.
fn caught<T: Termination>(body: &impl Fn(&Context) -> T, context: &Context) -> Ended {
    // The code is made of what the body returns, an error for example, which is dropped with that.
    let code = catch_unwind(AssertUnwindSafe(|| body(context).report()));
    wait_for_dropped();
    match code {
        Ok(code) if code == ExitCode::SUCCESS => Ended::Well,
        Ok(_) => Ended::Failed,
        Err(payload) => Ended::Panicked(payload),
    }
}

/// Decides, and says what would not be seen otherwise.
fn judge(options: &Options, order: Option<&str>, run: Run) -> Verdict {
    let under = order.map(|name| format!(" under order = \"{name}\"")).unwrap_or_default();
    let Run { ended, found, failed } = run;
    let failed = failed_calls(&failed);
    let found = reports(&found, &under);
    let also = format!("{}{failed}", found.as_ref().map(|found| format!("\n{found}")).unwrap_or_default());
    match (ended, found, options.expected_panic) {
        (Ended::Well, None, None) => Verdict::Passed,
        (Ended::Well, Some(found), None) => Verdict::Failed(format!("{found}{failed}")),
        (Ended::Failed, _, None) => Verdict::Failed(format!("the test returned an error{under}{also}")),
        (Ended::Panicked(payload), None, Some(_)) => Verdict::Panics(payload),
        (Ended::Panicked(payload), _, None) => {
            if order.is_some() || !also.is_empty() {
                say(&format!("the test panicked{under}{also}"));
            }
            Verdict::Panics(payload)
        }
        (Ended::Panicked(_), Some(found), Some(_)) => {
            Verdict::Failed(format!("the test panicked, and {found}{failed}"))
        }
        (Ended::Well | Ended::Failed, _, Some(_)) => Verdict::Failed(format!("the test did not panic{under}{also}")),
    }
}

fn reports(violations: &[Violation], under: &str) -> Option<String> {
    let count = match violations.len() {
        0 => return None,
        1 => "a violation".to_owned(),
        count => format!("{count} violations"),
    };
    let mut text = format!("the simulated device found {count}{under}:\n");
    for violation in violations {
        // Writing to a string does not fail.
        let _ = write!(text, "\n{violation}\n");
    }
    Some(text)
}

/// A line that names the calls that were made to fail, so that the test fails again; nothing where there are none.
fn failed_calls(failed: &[Fault]) -> String {
    /// Of more only the number is of use.
    const MAX: usize = 20;
    if failed.is_empty() {
        return String::new();
    }
    let calls: Vec<_> = failed.iter().take(MAX).map(Fault::to_string).collect();
    let more = match failed.len().saturating_sub(MAX) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("\ndriver calls were made to fail, again by MEMCORE_SIM_FAULTS={}{more}", calls.join(","))
}

/// Whether a panic's message has a text in it, as `should_panic` looks for it.
fn has_text(payload: &(dyn Any + Send), text: &str) -> bool {
    let message = payload.downcast_ref::<String>().map(String::as_str);
    message.or_else(|| payload.downcast_ref::<&str>().copied()).is_some_and(|message| message.contains(text))
        || text.is_empty()
}

/// Prints into the output that the test harness keeps for a test.
#[allow(clippy::print_stderr, reason = "the harness keeps only what is printed so")]
fn say(text: &str) {
    eprintln!("{text}");
}
