//! What has to hold on the calling thread during a driver call, put back as it was afterwards.

use bytemuck::AnyBitPattern;

use crate::driver::ffi::{CAPTURE_MODE_RELAXED, CUcontext, CUdeviceptr, POINTER_MEMORY_TYPE};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result, Status};

/// A context that is current on this thread. Dropped, the one that was current before is so again.
///
/// The driver is asked each time, since other libraries change the current context: asking costs about 12 ns.
pub(crate) struct Bound<'c> {
    driver: &'c dyn Driver,
    /// What was current before, if another. (A raw pointer: the guard stays on its thread.)
    previous: Option<CUcontext>,
}

impl<'c> Bound<'c> {
    #[inline]
    #[track_caller]
    pub(super) fn new(driver: &'c dyn Driver, context: CUcontext) -> Result<Self> {
        let previous = current_of(driver)?;
        if previous == context {
            return Ok(Self { driver, previous: None });
        }
        Self::in_place_of(driver, context, previous)
    }

    /// As [`new`](Self::new), where another is current.
    #[cold]
    #[track_caller]
    fn in_place_of(driver: &'c dyn Driver, context: CUcontext, previous: CUcontext) -> Result<Self> {
        set_current(driver, context)?;
        Ok(Self { driver, previous: Some(previous) })
    }

    pub(crate) fn driver(&self) -> &'c dyn Driver {
        self.driver
    }

    /// What the driver says of an address, which is only looked up.
    ///
    /// # Safety
    ///
    /// The driver writes the attribute as a `V` (`driver/ffi.rs` says of each as what).
    #[track_caller]
    pub(crate) unsafe fn pointer_attribute<V: AnyBitPattern>(&self, attribute: u32, address: CUdeviceptr) -> Result<V> {
        let mut value = V::zeroed();
        // SAFETY: by the caller's contract `value` has room, and any bytes are one; the address is only looked up.
        let status = unsafe { self.driver.pointer_attribute((&raw mut value).cast(), attribute, address) };
        check(symbol::pointer_attribute, status)?;
        Ok(value)
    }

    /// Whether the driver knows memory at `address`, or does not say.
    #[track_caller]
    pub(crate) fn may_know(&self, address: CUdeviceptr) -> bool {
        // SAFETY: this attribute is written as a `u32`.
        let kind = unsafe { self.pointer_attribute::<u32>(POINTER_MEMORY_TYPE, address) };
        !matches!(kind, Err(Error::Driver { status: Status::INVALID_VALUE, .. }))
    }
}

impl Drop for Bound<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(previous) = self.previous {
            restore(self.driver, previous);
        }
    }
}

/// The driver's current context on this thread, null where there is none.
#[inline]
#[track_caller]
pub(super) fn current_of(driver: &dyn Driver) -> Result<CUcontext> {
    let mut current: CUcontext = core::ptr::null_mut();
    // SAFETY: `current` is writable for the length of the call.
    check(symbol::context_current, unsafe { driver.context_current(&raw mut current) })?;
    Ok(current)
}

/// Makes `context` current on this thread: one that is held retained, or was current when last asked, or null.
#[track_caller]
pub(super) fn set_current(driver: &dyn Driver, context: CUcontext) -> Result<()> {
    // SAFETY: the context is alive, by what the callers pass.
    check(symbol::context_set_current, unsafe { driver.context_set_current(context) })
}

/// As [`set_current`], where no caller can be told of a failure.
#[cold]
pub(super) fn restore(driver: &dyn Driver, context: CUcontext) {
    if let Err(error) = set_current(driver, context) {
        log::debug!("the caller's context could not be made current again: {error}");
    }
}

/// While it lives, this thread's waits, allocations and frees leave the stream captures of other threads alone.
///
/// Without it, while any thread captures in the global mode, such a call would fail with 900 and invalidate that
/// capture.
pub(crate) struct Relaxed<'c> {
    driver: &'c dyn Driver,
    /// The mode before; `None` where it could not be changed.
    previous: Option<u32>,
}

impl<'c> Relaxed<'c> {
    #[inline]
    #[track_caller]
    pub(crate) fn new(driver: &'c dyn Driver) -> Self {
        Self { driver, previous: exchange(driver, CAPTURE_MODE_RELAXED) }
    }
}

impl Drop for Relaxed<'_> {
    #[inline]
    fn drop(&mut self) {
        if let Some(previous) = self.previous {
            exchange(self.driver, previous);
        }
    }
}

/// Sets this thread's capture mode and returns the one before. A driver without the call knows no capture.
#[inline]
#[track_caller]
fn exchange(driver: &dyn Driver, mode: u32) -> Option<u32> {
    let mut mode = mode;
    // SAFETY: `mode` is readable and writable for the length of the call.
    let status = unsafe { driver.exchange_capture_mode(&raw mut mode) };
    if !status.is_success() {
        log_exchange(status);
        return None;
    }
    Some(mode)
}

#[cold]
fn log_exchange(status: Status) {
    log::debug!("the capture mode of this thread could not be changed: {status}");
}
