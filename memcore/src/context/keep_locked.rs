//! Page-locked memory that has been freed and is kept: how much, and how it is given back.

use super::binding::Relaxed;
use super::inner::Inner;
use super::mapping::Mapping;
use super::{Context, registry};
use crate::driver::{check, symbol};
use crate::error::{Error, Result};

impl Context {
    /// Sets how many bytes of freed page-locked memory the context keeps for the next allocation, and gives back what is
    /// more. With 0 it keeps none. Driver function: `cuMemHostUnregister`, for what is given back, which may wait for device
    /// work.
    ///
    /// At first it is a sixteenth of the machine's memory, but at most 2 GiB, for each context. Only large memory is kept
    /// ([`LockedStatistics`](super::LockedStatistics)), each allocation as a whole: its bytes count in whole pages, and a last
    /// huge page (2 MiB) that is half full counts as a whole too, so that 9 MiB count as 10. What is too much goes oldest
    /// first. An allocation gets kept pages where they are at most a quarter more than it asks for, so counted.
    /// [`Context::trim`] gives kept memory back, as does an allocation of page-locked memory that fails without, and the end
    /// of the context.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let context = Context::current()?;
    /// context.keep_locked_memory(8 << 20)?;
    /// drop(locked_vec![0u8; 9 << 20]?); // too large to be kept
    /// drop(locked_vec![0u8; 6 << 20]?);
    /// assert_eq!(context.locked_statistics().kept_bytes, 6 << 20);
    /// context.keep_locked_memory(0)?;
    /// assert_eq!(context.locked_statistics().kept_bytes, 0);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code, for memory that it does not unregister: that is leaked. The limit is set all the same.
    #[track_caller]
    pub fn keep_locked_memory(&self, at_most: usize) -> Result<()> {
        let bound = self.inner.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        self.inner.set_kept_limit(at_most)
    }
}

impl Inner {
    /// Unregisters pages and gives them back to the system; they are as they were where that fails. The context is bound, and
    /// captures are relaxed.
    ///
    /// # Safety
    ///
    /// Nothing uses them any more.
    #[track_caller]
    pub(super) unsafe fn release(&self, mapping: Mapping) -> Result<(), (Error, Mapping)> {
        // SAFETY: registered pages, by what is made into a `Mapping` that is kept or owned.
        let status = unsafe { self.driver().mem_host_unregister(mapping.start().as_ptr()) };
        match check(symbol::mem_host_unregister, status) {
            Ok(()) => {
                // SAFETY: not registered any more; this function's contract.
                unsafe { mapping.unmap() };
                Ok(())
            }
            Err(error) => Err((error, mapping)),
        }
    }

    /// Gives kept pages back to the system, all but `keep` bytes. The context is bound, and captures are relaxed.
    ///
    /// # Errors
    ///
    /// The driver's code, of the first that could not be unregistered: those are leaked.
    #[track_caller]
    pub(super) fn trim_kept(&self, keep: usize) -> Result<()> {
        let too_many = self.locked().kept().trim(keep);
        self.release_all(too_many)
    }

    /// Sets how many bytes are kept at most. The context is bound, and captures are relaxed.
    #[track_caller]
    pub(super) fn set_kept_limit(&self, limit: usize) -> Result<()> {
        let too_many = self.locked().kept().set_limit(limit);
        self.release_all(too_many)
    }

    #[track_caller]
    fn release_all(&self, mappings: Vec<Mapping>) -> Result<()> {
        let mut outcome = Ok(());
        for mapping in mappings {
            // SAFETY: what was kept has been given up, and nothing uses it.
            if let Err((error, _leaked)) = unsafe { self.release(mapping) } {
                log::error!("{error}: page-locked memory that was kept is leaked");
                outcome = outcome.and(Err(error));
            }
        }
        outcome
    }

    /// Gives everything back that contexts of this driver keep, freed memory and idle memory for copies: the limit on locked
    /// memory is the process's. Whether any context had something, and gave back all of it.
    #[track_caller]
    pub(super) fn give_back_kept(&self) -> bool {
        let mut is_any = false;
        for context in registry::open_contexts(|device| self.device().same_driver(device)) {
            let keeps = context.locked().kept().bytes() > 0;
            if let Ok(bound) = context.bind() {
                let _relaxed = Relaxed::new(bound.driver());
                is_any |= context.staging_pool().trim(bound.driver());
                // What could not be given back is logged.
                is_any |= keeps && context.trim_kept(0).is_ok();
            }
        }
        is_any
    }
}
