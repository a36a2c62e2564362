//! The owner of a device allocation, without a type.

use std::sync::Arc;

use crate::context::{
    Allocation, AllocatorKind, Context, Exposed, Heap, Inner, MemoryPool, Prepare, Relaxed, owner_of, settle,
};
use crate::error::{Error, Result};
use crate::stream::Stream;

/// Device memory and the context it belongs to, which it keeps open. Dropped, the memory is freed.
pub(crate) struct DeviceMemory {
    context: Arc<Inner>,
    /// `None` once it is freed, or given away. INVARIANT: this value's own, and once it is dropped or freed nothing pending
    /// uses it: safe operations have waited, and the others' contract says so.
    allocation: Option<Allocation>,
    /// The pool that it is from, unless that is the context's own. INVARIANT: alive until the memory is freed: a driver
    /// crashed that freed memory of a destroyed pool (`scripts/probes/pool_destroy.py`).
    pool: Option<MemoryPool>,
}

impl DeviceMemory {
    /// `bytes` (more than 0) of new memory, in which `prepare` queued work that is done.
    ///
    /// # Safety
    ///
    /// `prepare` writes at most `bytes`.
    #[track_caller]
    pub(super) unsafe fn allocate(heap: Heap<'_>, bytes: usize, prepare: impl Prepare) -> Result<Self> {
        let (context, pool) = (Arc::clone(&heap.context.inner), heap.pool.cloned());
        let raw = pool.as_ref().map(MemoryPool::raw);
        // SAFETY: the caller's contract.
        let allocation = unsafe { context.allocate(raw, bytes, prepare)? };
        Ok(Self { context, allocation: Some(allocation), pool })
    }

    /// `bytes` (more than 0) of new memory for what is queued on `stream` from here on. Does not wait.
    #[track_caller]
    pub(super) fn allocate_on(stream: &Stream, bytes: usize) -> Result<Self> {
        let context = Arc::clone(&stream.context().inner);
        let allocation = {
            let bound = stream.bind()?;
            let _relaxed = Relaxed::new(bound.driver());
            context.allocate_on(stream.raw(), None, bytes)?
        };
        Ok(Self { context, allocation: Some(allocation), pool: None })
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
        Ok((Self { context, allocation: Some(allocation), pool: None }, pitch))
    }

    /// The allocation at `address`, made elsewhere, of which `bytes` are used.
    ///
    /// # Safety
    ///
    /// It is nobody else's from here on, and no pending work uses it.
    #[track_caller]
    pub(super) unsafe fn adopt(address: u64, bytes: usize) -> Result<Self> {
        let context = owner_of(address).or_else(|_| {
            // Opening the current context may be what makes the address known.
            Context::current().and_then(|_| owner_of(address))
        })?;
        // A driver that does not answer now is asked again when the memory is freed.
        let origin = context.origin_of(address).ok();
        let allocation = context.adopt(Allocation { address, bytes, origin });
        Ok(Self { context, allocation: Some(allocation), pool: None })
    }

    pub(super) fn address(&self) -> u64 {
        self.allocation.map_or(0, |allocation| allocation.address)
    }

    /// Leaves the memory to whoever has its address; its context stays open for the life of the process, and its pool alive.
    pub(super) fn into_raw(mut self) {
        if let Some(allocation) = self.allocation.take() {
            self.context.disown(allocation);
            core::mem::forget((Arc::clone(&self.context), self.pool.clone()));
        }
    }

    /// Frees the memory behind what is queued on `stream`, or gives it back with the reason why not.
    #[track_caller]
    pub(super) fn free_on(mut self, stream: &Stream) -> Result<(), (Error, Self)> {
        let Some(allocation) = self.allocation.take() else { return Ok(()) };
        match self.try_free_on(allocation, stream) {
            Ok(()) => Ok(()),
            Err(error) => {
                self.allocation = Some(allocation);
                Err((error, self))
            }
        }
    }

    #[track_caller]
    fn try_free_on(&self, allocation: Allocation, stream: &Stream) -> Result<()> {
        let (own, of_stream) = (&*self.context, &*stream.context().inner);
        own.require_same_driver(of_stream)?;
        if own.raw() != of_stream.raw() {
            let (stream, memory) = (of_stream.device().ordinal(), own.device().ordinal());
            return Err(Error::OtherDevice { stream, memory });
        }
        let bound = stream.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        let origin = match allocation.origin {
            Some(origin) => origin,
            None => own.origin_of(allocation.address)?,
        };
        if origin == AllocatorKind::Pool {
            // SAFETY: pending work uses the memory on this stream at most, by the invariant, or by the contract of the
            // unsafe call that queued it; its owner gives it up.
            return unsafe { own.free_on(stream.raw(), allocation) };
        }
        settle(own, stream.handle(), Exposed::Nothing)?;
        // SAFETY: as above, and the stream has been waited for.
        unsafe { own.free(allocation) }
    }

    /// Frees the memory now, or gives it back with the reason why not.
    #[track_caller]
    pub(super) fn free(mut self) -> Result<(), (Error, Self)> {
        let Some(allocation) = self.allocation.take() else { return Ok(()) };
        // SAFETY: an owner gives its memory up, and by its invariant nothing pending uses it.
        match unsafe { self.context.free(allocation) } {
            Ok(()) => Ok(()),
            Err(error) => {
                self.allocation = Some(allocation);
                Err((error, self))
            }
        }
    }
}

impl Drop for DeviceMemory {
    fn drop(&mut self) {
        let Some(allocation) = self.allocation.take() else { return };
        // SAFETY: an owner gives its memory up, and by its invariant nothing pending uses it.
        if let Err(error) = unsafe { self.context.free(allocation) } {
            self.context.note_drop_error(error);
        }
    }
}
