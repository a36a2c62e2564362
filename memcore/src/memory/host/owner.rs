//! The owner of page-locked host memory, without a type.

use core::ffi::c_void;
use core::mem::ManuallyDrop;
use core::ptr::{self, NonNull};
use std::sync::Arc;

use crate::context::{Inner, Relaxed, freed_at_exit};
use crate::driver::{check, symbol};
use crate::error::{Error, Result, Status};

/// Page-locked memory and the context it was made in, which it keeps open. Dropped, the memory is freed.
pub(super) struct LockedMemory {
    context: Arc<Inner>,
    /// INVARIANT: from `cuMemHostAlloc`, and this owner's.
    pointer: NonNull<c_void>,
}

// SAFETY: page-locked memory may be freed on any thread; what is in it belongs to the typed owner.
unsafe impl Send for LockedMemory {}
// SAFETY: a shared reference gives the address alone.
unsafe impl Sync for LockedMemory {}

impl LockedMemory {
    /// `bytes` (more than 0) of new memory, whose contents are whatever they are.
    #[track_caller]
    pub(super) fn allocate(context: Arc<Inner>, bytes: usize) -> Result<Self> {
        let bound = context.bind()?;
        let relaxed = Relaxed::new(bound.driver());
        let mut pointer: *mut c_void = ptr::null_mut();
        // SAFETY: `pointer` is writable for the length of the call.
        let status = unsafe { bound.driver().mem_host_alloc(&raw mut pointer, bytes, 0) };
        drop(relaxed);
        drop(bound);
        check(symbol::mem_host_alloc, status).map_err(|error| match error {
            // How much memory the device has does not matter here.
            Error::Driver { operation, status: Status::OUT_OF_MEMORY } => {
                Error::OutOfMemory { operation, requested: bytes as u64, free: None, total: None }
            }
            other => other,
        })?;
        let pointer = NonNull::new(pointer).ok_or(Error::Unsupported { what: "page-locked memory" })?;
        Ok(Self { context, pointer })
    }

    /// Memory made elsewhere.
    ///
    /// # Safety
    ///
    /// `pointer` is from `cuMemHostAlloc` (or `cudaHostAlloc`), and nobody else's from here on.
    pub(super) unsafe fn adopt(context: Arc<Inner>, pointer: NonNull<c_void>) -> Self {
        Self { context, pointer }
    }

    pub(super) fn pointer(&self) -> NonNull<c_void> {
        self.pointer
    }

    /// Frees the memory now, or gives it back with the reason why not.
    #[track_caller]
    pub(super) fn free(self) -> Result<(), (Error, Self)> {
        match self.try_free() {
            Ok(()) => {
                let mut freed = ManuallyDrop::new(self);
                // SAFETY: the context is dropped once: `freed` never drops its fields, and is not used again.
                unsafe { ptr::drop_in_place(&raw mut freed.context) };
                Ok(())
            }
            Err(error) => Err((error, self)),
        }
    }

    #[track_caller]
    fn try_free(&self) -> Result<()> {
        if self.context.is_unsettled() {
            return Err(Error::Unsettled);
        }
        let freed = match self.context.bind() {
            Ok(bound) => {
                let _relaxed = Relaxed::new(bound.driver());
                // SAFETY: the memory is from `cuMemHostAlloc`, its owner gives it up, and no pending work uses it.
                check(symbol::mem_free_host, unsafe { bound.driver().mem_free_host(self.pointer.as_ptr()) })
            }
            Err(error) => Err(error),
        };
        freed_at_exit(freed)
    }
}

impl Drop for LockedMemory {
    fn drop(&mut self) {
        if let Err(error) = self.try_free() {
            self.context.note_drop_error(error);
        }
    }
}
