//! The owner of a device allocation, without a type.

use core::mem::ManuallyDrop;
use std::sync::Arc;

use crate::context::{Allocation, Context, Inner, Prepare, owner_of};
use crate::error::{Error, Result};

/// Device memory and the context it belongs to, which it keeps open. Dropped, the memory is freed.
pub(crate) struct DeviceMemory {
    context: Arc<Inner>,
    allocation: Allocation,
}

impl DeviceMemory {
    /// `bytes` (more than 0) of new memory, in which `prepare` queued work that is done.
    ///
    /// # Safety
    ///
    /// `prepare` writes at most `bytes`.
    #[track_caller]
    pub(super) unsafe fn allocate(context: Arc<Inner>, bytes: usize, prepare: impl Prepare) -> Result<Self> {
        // SAFETY: the caller's contract.
        let allocation = unsafe { context.allocate(bytes, prepare)? };
        Ok(Self { context, allocation })
    }

    /// The allocation at `address`, made elsewhere.
    ///
    /// # Safety
    ///
    /// It is nobody else's from here on, and no pending work uses it.
    #[track_caller]
    pub(super) unsafe fn adopt(address: u64) -> Result<Self> {
        let context = owner_of(address).or_else(|_| {
            // Opening the current context may be what makes the address known.
            Context::current().and_then(|_| owner_of(address))
        })?;
        match context.origin_of(address) {
            Ok(origin) => Ok(Self { context, allocation: Allocation { address, origin } }),
            Err(error) => {
                // It cannot be freed without knowing how it was made.
                context.note_drop_error(error.clone());
                Err(error)
            }
        }
    }

    pub(super) fn address(&self) -> u64 {
        self.allocation.address
    }

    /// Frees the memory now, or gives it back with the reason why not.
    #[track_caller]
    pub(crate) fn free(self) -> Result<(), (Error, Self)> {
        match self.context.free(self.allocation) {
            Ok(()) => {
                let mut freed = ManuallyDrop::new(self);
                // SAFETY: the context is dropped once: `freed` never drops its fields, and is not used again.
                unsafe { core::ptr::drop_in_place(&raw mut freed.context) };
                Ok(())
            }
            Err(error) => Err((error, self)),
        }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if let Err(error) = self.context.free(self.allocation) {
            self.context.note_drop_error(error);
        }
    }
}
