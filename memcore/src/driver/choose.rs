//! Which driver runs where none is named: `MEMCORE_DRIVER`.

use core::marker::PhantomData;
use std::cell::RefCell;
use std::env;
use std::sync::{Arc, OnceLock};

use super::cuda::CudaDriver;
use super::sim::Sim;
use super::trace::traced;
use super::{Driver, check, symbol};
use crate::error::{Error, Result, Status};

/// The variable that names the driver.
const VARIABLE: &str = "MEMCORE_DRIVER";

thread_local! {
    /// The driver of this thread alone, in the place of the process's.
    static OWN: RefCell<Option<Arc<dyn Driver>>> = const { RefCell::new(None) };
}

/// While it lives, a driver is the default one of this thread, and of no other.
pub(crate) struct OwnDriver {
    previous: Option<Arc<dyn Driver>>,
    on_this_thread: PhantomData<*mut ()>,
}

impl OwnDriver {
    pub(crate) fn set(driver: Arc<dyn Driver>) -> Self {
        Self { previous: exchange(Some(driver)), on_this_thread: PhantomData }
    }
}

impl Drop for OwnDriver {
    fn drop(&mut self) {
        // Dropped when nothing is borrowed: a driver that ends may log.
        drop(exchange(self.previous.take()));
    }
}

fn exchange(driver: Option<Arc<dyn Driver>>) -> Option<Arc<dyn Driver>> {
    OWN.try_with(|own| own.replace(driver)).ok().flatten()
}

/// The default driver: this thread's own if it has one, else the process's.
pub(crate) fn default_driver() -> Result<Arc<dyn Driver>> {
    let own = OWN.try_with(|own| own.borrow().clone()).ok().flatten();
    own.map_or_else(process_driver, Ok)
}

/// Whether a test is to run on a simulated machine of its own: unlike a program, also where the variable is not set.
///
/// # Errors
///
/// What [`process_driver`] fails with.
pub(crate) fn tests_are_simulated() -> Result<bool> {
    match env::var_os(VARIABLE) {
        None => Ok(true),
        Some(value) if value == "sim" => Ok(true),
        Some(_) => process_driver().map(|driver| driver.is_simulated()),
    }
}

/// The driver of this process, chosen on the first call. A failure is not kept: the next call tries again.
fn process_driver() -> Result<Arc<dyn Driver>> {
    static CHOSEN: OnceLock<Arc<dyn Driver>> = OnceLock::new();

    if let Some(driver) = CHOSEN.get() {
        return Ok(Arc::clone(driver));
    }
    // Of two threads that choose at once, one's is dropped.
    let (driver, reason) = choose()?;
    let driver = Arc::clone(CHOSEN.get_or_init(|| driver));
    // Logged when the choice stands and nothing is locked: a logger may come back here.
    if let Some(reason) = reason {
        log::info!("running on the simulated device: {}", reason.without_advice());
    }
    Ok(driver)
}

/// The driver, and why it is not the one that would have been preferred.
fn choose() -> Result<(Arc<dyn Driver>, Option<Error>)> {
    let value = env::var_os(VARIABLE).map(|value| value.to_string_lossy().into_owned());
    match value.as_deref() {
        None | Some("cuda") => Ok((cuda()?, None)),
        Some("sim") => Ok((simulated()?, None)),
        Some("auto") => match cuda() {
            Ok(driver) => Ok((driver, None)),
            // A driver that is there but does not work is a fault to be seen, not to be worked around.
            Err(error @ (Error::NoDriver { .. } | Error::NoDevice { .. })) => Ok((simulated()?, Some(error))),
            Err(error) => Err(error),
        },
        Some(value) => {
            Err(Error::InvalidVariable { variable: VARIABLE, value: value.to_owned(), expected: "cuda, sim or auto" })
        }
    }
}

/// The CUDA driver, initialised, if it has a device.
fn cuda() -> Result<Arc<dyn Driver>> {
    let driver = traced(Arc::new(CudaDriver::load()?))?;
    initialise(&*driver)?;
    let mut count = 0;
    // SAFETY: `count` is writable for the length of the call.
    check(symbol::device_count, unsafe { driver.device_count(&raw mut count) })?;
    if count < 1 {
        return Err(Error::NoDevice { driver: "CUDA" });
    }
    Ok(driver)
}

/// The process's own simulated machine, with the options that the environment gives.
fn simulated() -> Result<Arc<dyn Driver>> {
    let driver = traced(Sim::from_environment()?.driver())?;
    initialise(&*driver)?;
    Ok(driver)
}

/// Calls `cuInit`, which must come before anything else and may come twice.
pub(crate) fn initialise(driver: &dyn Driver) -> Result<()> {
    // SAFETY: `cuInit` takes no pointer and may be called at any time.
    match unsafe { driver.init(0) } {
        Status::NO_DEVICE => Err(Error::NoDevice { driver: driver.kind() }),
        status => check(symbol::init, status),
    }
}
