//! The owner of a device allocation, without a type.

use std::sync::Arc;

use crate::context::{Allocation, Context, Inner, Prepare, owner_of};
use crate::error::{Error, Result};

/// Device memory and the context it belongs to, which it keeps open. Dropped, the memory is freed.
pub(crate) struct DeviceMemory {
    context: Arc<Inner>,
    /// INVARIANT: this value's own, and once it is dropped or freed nothing pending uses it: safe operations have waited,
    /// and the others' contract says so.
    allocation: Allocation,
    is_freed: bool,
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
        Ok(Self { context, allocation, is_freed: false })
    }

    /// New memory for `rows` rows of `width` bytes, both more than 0, of elements of `element` bytes; and the bytes from one
    /// row to the next.
    #[track_caller]
    pub(super) fn allocate_pitched(
        context: Arc<Inner>,
        width: usize,
        rows: usize,
        element: usize,
    ) -> Result<(Self, usize)> {
        let (allocation, pitch) = context.allocate_pitched(width, rows, element)?;
        Ok((Self { context, allocation, is_freed: false }, pitch))
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
        // A driver that does not answer now is asked again when the memory is freed.
        let origin = context.origin_of(address).ok();
        Ok(Self { context, allocation: Allocation { address, origin }, is_freed: false })
    }

    pub(super) fn address(&self) -> u64 {
        self.allocation.address
    }

    /// Frees the memory now, or gives it back with the reason why not.
    #[track_caller]
    pub(super) fn free(mut self) -> Result<(), (Error, Self)> {
        // SAFETY: an owner gives its memory up, and by its invariant nothing pending uses it.
        match unsafe { self.context.free(self.allocation) } {
            Ok(()) => {
                self.is_freed = true;
                Ok(())
            }
            Err(error) => Err((error, self)),
        }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        if self.is_freed {
            return;
        }
        // SAFETY: an owner gives its memory up, and by its invariant nothing pending uses it.
        if let Err(error) = unsafe { self.context.free(self.allocation) } {
            self.context.note_drop_error(error);
        }
    }
}
