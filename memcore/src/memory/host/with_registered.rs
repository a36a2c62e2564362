//! Memory that is page-locked while it is lent.

use core::ptr::NonNull;
use std::io::{Write, stderr};
use std::process::abort;

use super::flags::RegisterFlags;
use super::owner::HostOwner;
use super::register::Registered;
use crate::context::Context;
use crate::error::{Error, Result, Status};

/// A registration that ends before its memory is somebody else's, who is done with the device's work on it. Should anything
/// unwind (the program, or a logger that panics), it ends all the same, or the process does.
#[must_use = "it ends the registration when it is dropped"]
pub(crate) struct Ending(Option<HostOwner<Registered>>);

/// How often a call that fails is tried once more: what passes is no failure.
const RETRIES: u32 = 16;

impl Ending {
    /// Answers for a registration, if there is one.
    pub(crate) fn of(registration: Option<HostOwner<Registered>>) -> Self {
        Self(registration)
    }

    /// Ends it now.
    ///
    /// # Errors
    ///
    /// The driver's code `HOST_MEMORY_NOT_REGISTERED`: somebody else has ended it.
    ///
    /// # Aborts
    ///
    /// If it cannot be ended, or a wait has failed meanwhile, so that a device may still use the memory.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Result<()> {
        self.end()
    }

    #[track_caller]
    fn end(&mut self) -> Result<()> {
        let Some(registration) = &self.0 else { return Ok(()) };
        if registration.context().is_host_unsettled() {
            give_up("given back", &Error::Unsettled, "the device may still use it");
        }
        let mut retries = 0..RETRIES;
        let ended = loop {
            match registration.free_settled() {
                Err(error) if error.status() == Some(Status::HOST_MEMORY_NOT_REGISTERED) => break Err(error),
                Err(error) if retries.next().is_none() => {
                    give_up("unregistered", &error, "the device would go on using the pages that it has now");
                }
                Err(_) => {}
                Ok(()) => break Ok(()),
            }
        };
        if let Some(registration) = self.0.take() {
            registration.abandon();
        }
        ended
    }
}

/// Ends the process: every way on would be undefined behaviour.
fn give_up(what: &str, error: &Error, why: &str) -> ! {
    // To stderr, for a program without a logger, where a failure to print changes nothing.
    let _ = writeln!(
        stderr(),
        "memcore: aborting, since memory that this program is about to use as its own could not be {what} ({error}): {why}"
    );
    abort()
}

impl Drop for Ending {
    fn drop(&mut self) {
        // The panic that unwinds is the one to be seen.
        let _ = self.end();
    }
}

impl Context {
    /// Runs `f` with `memory` page-locked, and then unregisters it, also when `f` panics or returns an error. Does not wait
    /// for device work: what `f` queues on the memory is waited for in `f`, as safe code does it anyway.
    ///
    /// Copies of page-locked memory run at the full speed of the bus. Locking takes longer than one copy of pageable
    /// memory: it pays where the memory is copied several times. Whole pages are locked; what else lies on them is not
    /// affected.
    ///
    /// ```
    /// use memcore::{RegisterFlags, prelude::*};
    ///
    /// let context = Context::current()?;
    /// let stream = Stream::new()?;
    /// let mut samples = vec![1.0f32; 4096];
    /// let mut dev = device_vec![2.0f32; 4096]?;
    /// context.with_registered(&mut samples, RegisterFlags::empty(), |samples| {
    ///     copy!(dev[..2048] <- samples[..2048])?;
    ///     stream.scope(|s| copy!(*samples <- dev, s))
    /// })?;
    /// assert_eq!((samples[2047], samples[2048]), (1.0, 2.0));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: `cuDeviceGetAttribute`, `cuMemHostRegister_v2`, `cuMemHostUnregister`. Memory without bytes makes no
    /// call.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyRegistered`] if any of the memory is registered; [`Error::UnknownFlags`];
    /// [`Error::Unsupported`]; [`Error::Unsettled`] if an earlier wait failed; [`Error::OutOfMemory`], also at the limit on
    /// locked memory; the driver's code, `INVALID_VALUE` where the memory was page-locked when it was allocated. Then `f` is
    /// not called. Else what `f` returns.
    ///
    /// # Panics
    ///
    /// If `f` does, when the memory is unregistered.
    ///
    /// # Aborts
    ///
    /// If the memory cannot be unregistered (as in a context that a kernel's fault has killed): it must not be given back
    /// while the driver takes it for page-locked. Nor if a wait in `f` failed, again and again, so that the device may still
    /// use the memory. A [`RegisteredBuffer`](crate::RegisteredBuffer) is leaked then.
    #[track_caller]
    pub fn with_registered<T, R, E: From<Error>>(
        &self,
        memory: &mut [T],
        flags: RegisterFlags,
        f: impl FnOnce(&mut [T]) -> Result<R, E>,
    ) -> Result<R, E> {
        // SAFETY: borrowed until this call ends, and the guard ends the registration before.
        let ending = Ending::of(unsafe { HostOwner::of_lent(&self.inner, NonNull::from(&mut *memory), flags) }?);
        let result = f(memory);
        let ended = ending.finish();
        result.and_then(|value| ended.map(|()| value).map_err(E::from))
    }
}
