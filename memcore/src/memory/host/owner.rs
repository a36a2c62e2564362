//! The owner of host memory that came from the driver, without an element type.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::NonNull;
use std::sync::Arc;

use crate::context::{Inner, Relaxed, freed_at_exit};
use crate::driver::Driver;
use crate::error::{Error, Result};

/// A kind of host memory: how the driver gives it and takes it back.
pub(super) trait HostMemory {
    /// Whether the device of `context` has such memory.
    #[track_caller]
    fn require(context: &Inner) -> Result<()>;

    /// The open context that memory of this kind, made elsewhere, belongs to.
    fn owner(address: u64) -> Result<Arc<Inner>>;

    /// Asks the driver for `bytes`, more than 0, whose contents are whatever they are.
    #[track_caller]
    fn allocate(driver: &dyn Driver, bytes: usize) -> Result<*mut c_void>;

    /// Gives it back.
    ///
    /// # Safety
    ///
    /// It came from [`allocate`](Self::allocate), or by the same driver function; nothing uses it any more.
    #[track_caller]
    unsafe fn free(driver: &dyn Driver, pointer: *mut c_void) -> Result<()>;
}

/// Host memory of the kind `K` and the context it was made in, which it keeps open. Dropped, the memory is freed.
pub(super) struct HostOwner<K: HostMemory> {
    context: Arc<Inner>,
    /// INVARIANT: by `K`'s driver function, and this owner's.
    pointer: NonNull<c_void>,
    is_freed: bool,
    kind: PhantomData<K>,
}

// SAFETY: the driver frees on any thread; what is in the memory belongs to the typed owner.
unsafe impl<K: HostMemory> Send for HostOwner<K> {}
// SAFETY: a shared reference gives the address alone.
unsafe impl<K: HostMemory> Sync for HostOwner<K> {}

impl<K: HostMemory> HostOwner<K> {
    /// `bytes` (more than 0) of new memory, whose contents are whatever they are.
    #[track_caller]
    pub(super) fn allocate(context: Arc<Inner>, bytes: usize) -> Result<Self> {
        K::require(&context)?;
        let allocated = {
            let bound = context.bind()?;
            let _relaxed = Relaxed::new(bound.driver());
            K::allocate(bound.driver(), bytes)
        };
        let pointer = allocated.map_err(|error| error.without_device_memory(bytes))?;
        let pointer = NonNull::new(pointer).ok_or(Error::Unsupported { what: "host memory of this kind" })?;
        Ok(Self { context, pointer, is_freed: false, kind: PhantomData })
    }

    /// Memory made elsewhere.
    ///
    /// # Safety
    ///
    /// `pointer` is from the kind's driver function (or the runtime API's of that kind), and nobody else's from here
    /// on.
    pub(super) unsafe fn adopt(pointer: NonNull<c_void>) -> Result<Self> {
        let context = K::owner(pointer.as_ptr().expose_provenance() as u64)?;
        Ok(Self { context, pointer, is_freed: false, kind: PhantomData })
    }

    pub(super) fn pointer(&self) -> NonNull<c_void> {
        self.pointer
    }

    /// Frees the memory now, or gives it back with the reason why not.
    #[track_caller]
    pub(super) fn free(mut self) -> Result<(), (Error, Self)> {
        match self.try_free() {
            Ok(()) => {
                self.is_freed = true;
                Ok(())
            }
            Err(error) => Err((error, self)),
        }
    }

    #[track_caller]
    fn try_free(&self) -> Result<()> {
        if self.context.is_host_unsettled() {
            return Err(Error::Unsettled);
        }
        let freed = match self.context.bind() {
            Ok(bound) => {
                let _relaxed = Relaxed::new(bound.driver());
                // SAFETY: by the invariant the memory is of this kind; its owner gives it up, and no pending work uses it.
                unsafe { K::free(bound.driver(), self.pointer.as_ptr()) }
            }
            Err(error) => Err(error),
        };
        freed_at_exit(freed)
    }
}

impl<K: HostMemory> Drop for HostOwner<K> {
    fn drop(&mut self) {
        if self.is_freed {
            return;
        }
        if let Err(error) = self.try_free() {
            self.context.note_drop_error(error);
        }
    }
}
