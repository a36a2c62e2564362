//! The owner of host memory that came from the driver, without an element type.

use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::NonNull;
use std::sync::Arc;

use crate::context::{Contents, Inner, Listed, Relaxed, freed_at_exit};
use crate::driver::{check, symbol};
use crate::error::{Error, Result};

/// A kind of host memory that the driver knows: how that ends.
pub(crate) trait HostMemory {
    /// Gives it back to the driver, or to the program whose it was. The context is bound, and captures are relaxed.
    ///
    /// # Safety
    ///
    /// At `pointer` starts memory of this kind, as [`HostOwner::new`] demands; nothing uses it any more.
    #[track_caller]
    unsafe fn free(context: &Inner, pointer: *mut c_void) -> Result<()>;
}

/// A kind of host memory that the driver allocates.
pub(crate) trait Allocated: HostMemory {
    /// What can be asked of it. The default is what the constructors without flags ask for.
    type Flags: Copy + Default;

    /// Whether the device of `context` has such memory, and the flags exist.
    #[track_caller]
    fn require(context: &Inner, flags: Self::Flags) -> Result<()>;

    /// The open context that memory of this kind, made elsewhere, belongs to.
    fn owner(address: u64) -> Result<Arc<Inner>>;

    /// Allocates `bytes`, more than 0. The context is bound, and captures are relaxed.
    #[track_caller]
    fn allocate(context: &Arc<Inner>, bytes: usize, flags: Self::Flags, contents: Contents) -> Result<NonNull<c_void>>;

    /// Comes after the first writes to memory with these flags, and before it is given out.
    fn written(_flags: Self::Flags) {}
}

/// Host memory of the kind `K` and the context it was made in, which it keeps open. Dropped, the memory is freed.
pub(crate) struct HostOwner<K: HostMemory> {
    context: Arc<Inner>,
    /// Where the memory is. INVARIANT: from `K::allocate`, or as [`adopt`](Self::adopt) or [`new`](Self::new) demands, and this
    /// owner's alone.
    listed: Listed,
    is_freed: bool,
    kind: PhantomData<K>,
}

// SAFETY: the driver frees on any thread; what is in the memory belongs to the typed owner.
unsafe impl<K: HostMemory> Send for HostOwner<K> {}
// SAFETY: a shared reference gives the address alone.
unsafe impl<K: HostMemory> Sync for HostOwner<K> {}

impl<K: Allocated> HostOwner<K> {
    /// `bytes` (more than 0) of new memory.
    #[track_caller]
    pub(super) fn allocate(context: Arc<Inner>, bytes: usize, flags: K::Flags, contents: Contents) -> Result<Self> {
        K::require(&context, flags)?;
        let allocated = {
            let bound = context.bind()?;
            let _relaxed = Relaxed::new(bound.driver());
            K::allocate(&context, bytes, flags, contents)
        };
        let pointer = allocated.map_err(|error| error.without_device_memory(bytes))?;
        // SAFETY: the memory was allocated just now, in this context.
        Ok(unsafe { Self::new(context, pointer, bytes) })
    }

    /// `bytes` of memory made elsewhere.
    ///
    /// # Safety
    ///
    /// `pointer` is from the kind's driver function (or the runtime API's of that kind) or from an owner of the kind that was
    /// taken apart, and nobody else's from here on.
    pub(super) unsafe fn adopt(pointer: NonNull<c_void>, bytes: usize) -> Result<Self> {
        let context = K::owner(pointer.as_ptr().expose_provenance() as u64)?;
        // SAFETY: the caller's contract, and the context is the memory's.
        Ok(unsafe { Self::new(context, pointer, bytes) })
    }
}

impl<K: HostMemory> HostOwner<K> {
    /// # Safety
    ///
    /// At `pointer` start `bytes` of `K`'s memory in this context: allocated, adopted, or registered, as `K` is. They are the
    /// owner's alone.
    pub(super) unsafe fn new(context: Arc<Inner>, pointer: NonNull<c_void>, bytes: usize) -> Self {
        Self { context, listed: Listed::new(pointer, bytes), is_freed: false, kind: PhantomData }
    }

    pub(super) fn context(&self) -> &Arc<Inner> {
        &self.context
    }

    pub(super) fn pointer(&self) -> NonNull<c_void> {
        self.listed.start()
    }

    /// The address for a device, as the driver says. Driver function: `cuMemHostGetDevicePointer_v2`.
    #[track_caller]
    pub(super) fn device_address(&self) -> Result<u64> {
        let bound = self.context.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        let mut address = 0;
        // SAFETY: `address` is writable for the length of the call; the memory is the driver's to look up.
        let status = unsafe { bound.driver().mem_host_device_pointer(&raw mut address, self.pointer().as_ptr(), 0) };
        check(symbol::mem_host_device_pointer, status)?;
        Ok(address)
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

    /// The memory is not the driver's any more.
    pub(super) fn abandon(mut self) {
        self.is_freed = true;
    }

    #[track_caller]
    fn try_free(&self) -> Result<()> {
        if self.context.is_host_unsettled() { Err(Error::Unsettled) } else { self.free_settled() }
    }

    /// Frees the memory, which the device is known to be done with.
    #[track_caller]
    pub(super) fn free_settled(&self) -> Result<()> {
        let freed = match self.context.bind() {
            Ok(bound) => {
                let _relaxed = Relaxed::new(bound.driver());
                // SAFETY: by the invariant the memory is of this kind; its owner gives it up, and no pending work uses it.
                unsafe { K::free(&self.context, self.pointer().as_ptr()) }
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
