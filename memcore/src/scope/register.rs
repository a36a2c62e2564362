//! Host memory that is page-locked as long as a scope.

use core::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytemuck::{AnyBitPattern, NoUninit};

use super::Scope;
use super::lend::LendMut;
use super::lent::{HostSlice, Lent};
use crate::error::Result;
use crate::memory::{Ending, HostOwner, RegisterFlags, Registered};

/// Registrations of a scope.
///
/// INVARIANT: what is in here is lent to the scope, whose end waits for its stream and then ends the registrations, before
/// the memory is its lender's again.
#[derive(Default)]
pub(super) struct Registrations(Mutex<Vec<HostOwner<Registered>>>);

impl Registrations {
    /// Ends them, when the stream has been waited for.
    ///
    /// # Aborts
    ///
    /// As [`Ending::finish`].
    #[track_caller]
    pub(super) fn end(&self) -> Result<()> {
        let mut first = Ok(());
        loop {
            // Each is taken out first: what unwinds ends that one, and leaves the others to the next call.
            let next = self.lock().pop();
            if next.is_none() {
                return first;
            }
            first = first.and(Ending::of(next).finish());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<HostOwner<Registered>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Page-locks host memory and lends it to the scope, to be read and written by its operations until it ends: then it is
    /// unregistered, behind the wait. Does not wait.
    ///
    /// ```
    /// use memcore::{RegisterFlags, prelude::*};
    ///
    /// let stream = Stream::new()?;
    /// let mut dev = device_vec![0u32; 1000]?;
    /// let mut samples: Vec<u32> = (0..1000).collect();
    /// stream.scope(|s| {
    ///     let (samples, dev) = (s.register(&mut samples, RegisterFlags::empty())?, s.lend(&mut dev));
    ///     copy!(dev <- samples, s)?;
    ///     fill!(dev[..10] <- 7, s)?;
    ///     copy!(samples <- dev, s)
    /// })?;
    /// assert_eq!((samples[9], samples[10]), (7, 10));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: `cuDeviceGetAttribute`, `cuMemHostRegister_v2`; when the scope ends `cuMemHostUnregister`.
    ///
    /// # Errors
    ///
    /// As [`Context::with_registered`](crate::Context::with_registered). The memory is not lent then, and stays borrowed.
    ///
    /// # Aborts
    ///
    /// At the scope's end, as [`Context::with_registered`](crate::Context::with_registered).
    #[track_caller]
    pub fn register<T: NoUninit + AnyBitPattern>(
        &self,
        memory: &'env mut [T],
        flags: RegisterFlags,
    ) -> Result<&'scope mut Lent<'scope, HostSlice<T>>> {
        let context = &self.stream.context().inner;
        // SAFETY: the memory is borrowed for `'env`, which outlives the scope, and its end ends the registration.
        let registration = unsafe { HostOwner::of_lent(context, NonNull::from(&mut *memory), flags)? };
        // INVARIANT: lent below, and to this scope alone.
        self.state.registrations.lock().extend(registration);
        let (address, len) = memory.__place_mut();
        // SAFETY: the memory is borrowed exclusively for `'env`, which outlives the scope, and the brand keeps it on this
        // scope's stream.
        Ok(unsafe { Lent::exclusive(address, len) })
    }
}
