//! Device memory of a context: from a pool that keeps what is freed, where the device has pools.

use super::binding::{Bound, Relaxed};
use super::inner::Inner;
use super::pool_options::PoolOptions;
use super::raw_pool::RawPool;
use super::settle::{Exposed, Pending, is_over, settle};
use super::streams::RawStream;
use crate::device::{Device, DeviceAttribute};
use crate::driver::ffi::{CUdeviceptr, CUstream, POINTER_DEVICE_ORDINAL, POINTER_MEMPOOL_HANDLE, STREAM_NON_BLOCKING};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result, Status};

/// How a context gets its device memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AllocatorKind {
    /// From a memory pool of the context's own, which keeps what is freed until [`trim`](super::Context::trim)
    /// (`cuMemAllocFromPoolAsync`).
    Pool,
    /// From the driver, one call per allocation (`cuMemAlloc`): the device has no pools.
    Direct,
}

/// Device memory and how it was made, which decides how it is freed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocation {
    pub(crate) address: CUdeviceptr,
    /// As many as were asked for.
    pub(crate) bytes: usize,
    /// `None` where the driver could not be asked yet.
    pub(crate) origin: Option<AllocatorKind>,
}

/// Work to be queued in new memory before anyone has it.
pub(crate) trait Prepare {
    /// Whether it queues nothing.
    const IS_NOTHING: bool = false;

    /// Queues it on `stream`, whose context is bound.
    ///
    /// # Safety
    ///
    /// From `address` on there is room for what this writes.
    #[track_caller]
    unsafe fn queue(self, driver: &dyn Driver, address: CUdeviceptr, stream: CUstream) -> Result<()>;
}

/// Nothing to be queued.
impl Prepare for () {
    const IS_NOTHING: bool = true;

    #[track_caller]
    unsafe fn queue(self, _driver: &dyn Driver, _address: CUdeviceptr, _stream: CUstream) -> Result<()> {
        Ok(())
    }
}

/// The pool, if there is one, and the stream on which it allocates and frees. Nothing else is queued there, so that no
/// allocation waits for work of another thread; and it is one stream, since a pool gives what was freed on one stream to
/// another only after the driver has looked whether it may (measured: `docs/design.md`).
#[derive(Debug)]
pub(super) struct Allocator {
    pool: Option<RawPool>,
    stream: RawStream,
}

impl Allocator {
    #[track_caller]
    pub(super) fn new(bound: &Bound<'_>, device: &Device) -> Result<Self> {
        let mut stream = RawStream::create(bound.driver(), STREAM_NON_BLOCKING, 0)?;
        let pool = match device.attribute(DeviceAttribute::MEMORY_POOLS_SUPPORTED) {
            // A driver that does not know the question has no pools.
            Ok(0) | Err(Error::Driver { status: Status::INVALID_VALUE, .. }) => Ok(None),
            Ok(_) => RawPool::create(bound.driver(), device, PoolOptions::default()),
            Err(error) => Err(error),
        };
        match pool {
            Ok(pool) => Ok(Self { pool, stream }),
            Err(error) => {
                // SAFETY: the stream ends here.
                let _ = unsafe { stream.destroy(bound.driver()) };
                Err(error)
            }
        }
    }

    pub(super) fn pool(&self) -> Option<RawPool> {
        self.pool
    }

    pub(super) fn stream(&self) -> &RawStream {
        &self.stream
    }

    pub(super) fn kind(&self) -> AllocatorKind {
        if self.pool.is_some() { AllocatorKind::Pool } else { AllocatorKind::Direct }
    }

    pub(super) fn destroy(&mut self, bound: &Bound<'_>) {
        if let Some(pool) = self.pool.take() {
            // SAFETY: the context goes, which every owner of memory keeps open: nothing is freed to its pool from here on.
            unsafe { pool.destroy(bound.driver()) };
        }
        // SAFETY: the context goes, which every owner of memory keeps open: nothing is freed on the stream from here on.
        if let Err(error) = unsafe { self.stream.destroy(bound.driver()) } {
            log::debug!("a stream was not destroyed: {error}");
        }
    }
}

/// The result of a free, which a driver that is shut down has done already.
pub(crate) fn freed_at_exit(freed: Result<()>) -> Result<()> {
    match freed {
        Err(error) if is_over(&error) => Ok(()),
        other => other,
    }
}

impl Inner {
    /// Allocates `bytes` (more than 0) of device memory, from the context's own pool or from `pool`, and waits for it; then
    /// queues what `prepare` does with it on one of the streams of synchronous operations, and waits for that.
    ///
    /// Calls: `cuMemAllocFromPoolAsync`, `cuStreamSynchronize`; `prepare`'s, `cuStreamSynchronize`. Without a pool
    /// `cuMemAlloc_v2` comes first. When memory runs out, pending frees are awaited, the pools are trimmed and the
    /// allocation tried once more.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; [`Error::PoolExhausted`]; the driver's code. Nothing stays allocated.
    ///
    /// # Safety
    ///
    /// `prepare` writes at most `bytes`.
    #[track_caller]
    pub(crate) unsafe fn allocate<P: Prepare>(
        &self,
        pool: Option<RawPool>,
        bytes: usize,
        prepare: P,
    ) -> Result<Allocation> {
        let bound = self.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        let stream = &self.allocator().stream;
        let allocation = self.allocate_on(stream, pool, bytes)?;
        let ready = match Pending::on(self, stream.handle()).settle(Exposed::Nothing) {
            // SAFETY: the memory was just allocated, which is done, with room for `bytes`.
            Ok(()) if !P::IS_NOTHING => unsafe { self.prepare(&bound, allocation, prepare) },
            allocated => allocated,
        };
        if let Err(error) = ready {
            if let Err(error) = freed_at_exit(self.free_bound(allocation, stream)) {
                self.note_drop_error(error);
            }
            return Err(error);
        }
        Ok(allocation)
    }

    /// Queues what `prepare` does with new memory, and waits for it, with captures relaxed.
    ///
    /// # Safety
    ///
    /// Nothing pending uses the memory, in which there is room for what `prepare` writes.
    #[track_caller]
    unsafe fn prepare(&self, bound: &Bound<'_>, allocation: Allocation, prepare: impl Prepare) -> Result<()> {
        let stream = self.streams().borrow(bound.driver())?;
        let pending = Pending::on(self, stream.handle());
        // SAFETY: the caller's contract.
        let queued = unsafe { prepare.queue(bound.driver(), allocation.address, stream.handle()) };
        queued.and(pending.settle(Exposed::Nothing))
    }

    /// Allocates `bytes` (more than 0) of device memory, from the context's own pool or from `pool`, for what is queued on
    /// `stream` from here on, with the context bound and captures relaxed. It does not wait.
    ///
    /// Calls: `cuMemAllocFromPoolAsync`, or `cuMemAlloc_v2` without a pool. When memory runs out, what is pending on the
    /// allocator's stream and on `stream` is awaited, since frees may be part of it, the pools are trimmed and the
    /// allocation tried once more.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; [`Error::PoolExhausted`]; the driver's code. Nothing is allocated then.
    #[track_caller]
    pub(crate) fn allocate_on(&self, stream: &RawStream, pool: Option<RawPool>, bytes: usize) -> Result<Allocation> {
        let from = pool.or(self.pool());
        match self.try_allocate(stream, from, bytes) {
            Err(Error::Driver { status: Status::OUT_OF_MEMORY, .. }) => {
                if stream.handle() != self.allocator().stream.handle() {
                    settle(self, stream.handle(), Exposed::Nothing)?;
                }
                self.make_room(pool)?;
                let again = self.try_allocate(stream, from, bytes).map_err(|error| self.explain(error, bytes));
                match (again, from) {
                    (Err(error), Some(pool)) => Err(pool.explain(self.driver(), error, bytes)),
                    (again, _) => again,
                }
            }
            other => other,
        }
    }

    #[track_caller]
    fn try_allocate(&self, stream: &RawStream, from: Option<RawPool>, bytes: usize) -> Result<Allocation> {
        let mut address: CUdeviceptr = 0;
        let origin = match from {
            Some(pool) => {
                let (pool, stream) = (pool.handle(), stream.handle());
                // SAFETY: `address` is writable for the length of the call; pool and stream are alive.
                let status = unsafe { self.driver().mem_alloc_from_pool(&raw mut address, bytes, pool, stream) };
                check(symbol::mem_alloc_from_pool, status)?;
                AllocatorKind::Pool
            }
            None => {
                // SAFETY: `address` is writable for the length of the call.
                check(symbol::mem_alloc, unsafe { self.driver().mem_alloc(&raw mut address, bytes) })?;
                AllocatorKind::Direct
            }
        };
        self.counts().add(bytes);
        Ok(Allocation { address, bytes, origin: Some(origin) })
    }

    /// Memory that someone else made has an owner here.
    pub(crate) fn adopt(&self, allocation: Allocation) -> Allocation {
        self.counts().add(allocation.bytes);
        allocation
    }

    /// An owner here has given its memory away.
    pub(crate) fn disown(&self, allocation: Allocation) {
        self.counts().remove(allocation.bytes);
    }

    /// Frees device memory that nothing pending uses. It does not wait.
    ///
    /// # Errors
    ///
    /// The driver's code; the memory is leaked then, as it is where an earlier wait left open what the device still
    /// does. A driver that is shut down, as when the process exits, has freed everything: that is a success.
    ///
    /// # Safety
    ///
    /// Nothing pending uses the memory, and its owner gives it up.
    #[track_caller]
    pub(crate) unsafe fn free(&self, allocation: Allocation) -> Result<()> {
        // SAFETY: by this function's contract no pending work uses the memory.
        unsafe { self.free_on(&self.allocator().stream, allocation) }
    }

    /// As [`free`](Self::free), but what is queued on `stream` may still use memory of a pool, which is freed behind it.
    ///
    /// # Errors
    ///
    /// As [`free`](Self::free).
    ///
    /// # Safety
    ///
    /// Pending work uses the memory on `stream` at most; none does where it is not of a pool. Its owner gives it up.
    #[track_caller]
    pub(crate) unsafe fn free_on(&self, stream: &RawStream, allocation: Allocation) -> Result<()> {
        let freed = match self.bind() {
            Ok(bound) => {
                let _relaxed = Relaxed::new(bound.driver());
                self.free_bound(allocation, stream)
            }
            Err(error) => Err(error),
        };
        freed_at_exit(freed)
    }

    #[track_caller]
    fn free_bound(&self, allocation: Allocation, stream: &RawStream) -> Result<()> {
        if self.is_unsettled() {
            // The device may still write this memory.
            return Err(Error::Unsettled);
        }
        let origin = match allocation.origin {
            Some(origin) => origin,
            None => self.origin_of(allocation.address)?,
        };
        let freed = match origin {
            AllocatorKind::Pool => {
                let stream = stream.handle();
                // SAFETY: the memory came from a pool, its owner gives it up, and by the callers' contract pending work uses
                // it on `stream` at most, where the free comes behind it.
                check(symbol::mem_free_async, unsafe { self.driver().mem_free_async(allocation.address, stream) })
            }
            AllocatorKind::Direct => {
                // SAFETY: the memory came from `cuMemAlloc`, its owner gives it up, and no pending work uses it.
                check(symbol::mem_free, unsafe { self.driver().mem_free(allocation.address) })
            }
        };
        if freed.is_ok() {
            self.disown(allocation);
        }
        freed
    }

    /// Asks the driver how memory was made that someone else allocated.
    #[track_caller]
    pub(crate) fn origin_of(&self, address: CUdeviceptr) -> Result<AllocatorKind> {
        let bound = self.bind()?;
        // SAFETY: this attribute is written as a `CUmemoryPool`, which has as many bytes.
        match unsafe { bound.pointer_attribute::<usize>(POINTER_MEMPOOL_HANDLE, address) } {
            // A driver that does not know the question has no pools.
            Ok(0) | Err(Error::Driver { status: Status::INVALID_VALUE | Status::NOT_SUPPORTED, .. }) => {
                Ok(AllocatorKind::Direct)
            }
            Ok(_) => Ok(AllocatorKind::Pool),
            Err(error) => Err(error),
        }
    }

    /// Whether the driver knows memory at `address`, or does not say.
    pub(super) fn may_know(&self, address: CUdeviceptr) -> bool {
        let Ok(bound) = self.bind() else { return true };
        bound.may_know(address)
    }

    /// The number of the device whose memory `address` is.
    #[track_caller]
    pub(super) fn device_of(&self, address: CUdeviceptr) -> Result<i32> {
        let bound = self.bind()?;
        // SAFETY: this attribute is written as an `i32`.
        unsafe { bound.pointer_attribute(POINTER_DEVICE_ORDINAL, address) }
    }

    /// Gives back to the device what is free, when memory ran out: pending frees are awaited, and the context's own pool and
    /// `pool` are trimmed. The context is bound and captures relaxed.
    #[track_caller]
    pub(crate) fn make_room(&self, pool: Option<RawPool>) -> Result<()> {
        self.settle_allocator()?;
        self.trim_bound(self.pool(), 0)?;
        self.trim_bound(pool, 0)
    }

    /// Waits for pending allocations and frees.
    #[track_caller]
    pub(super) fn settle_allocator(&self) -> Result<()> {
        settle(self, self.allocator().stream.handle(), Exposed::Nothing)
    }

    #[track_caller]
    pub(super) fn trim_bound(&self, pool: Option<RawPool>, keep: usize) -> Result<()> {
        match pool {
            Some(pool) => pool.trim(self.driver(), keep),
            None => Ok(()),
        }
    }

    /// Gives unused memory of the context's own pool, or of `pool`, back to the device, all but `keep` bytes, when pending
    /// frees are done.
    #[track_caller]
    pub(super) fn trim(&self, pool: Option<RawPool>, keep: usize) -> Result<()> {
        let bound = self.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        self.trim_settled(pool.or(self.pool()), keep)
    }

    /// Trims a pool when pending frees are done. The context is bound and captures relaxed.
    #[track_caller]
    pub(super) fn trim_settled(&self, pool: Option<RawPool>, keep: usize) -> Result<()> {
        self.settle_allocator()?;
        self.trim_bound(pool, keep)
    }

    /// Free and total device memory in bytes.
    #[track_caller]
    pub(crate) fn memory_info(&self) -> Result<(u64, u64)> {
        let bound = self.bind()?;
        let (mut free, mut total) = (0_usize, 0_usize);
        // SAFETY: both are writable for the length of the call.
        check(symbol::memory_info, unsafe { bound.driver().memory_info(&raw mut free, &raw mut total) })?;
        Ok((free as u64, total as u64))
    }

    /// Adds the bytes asked for, free and in total to the driver's word that memory ran out.
    pub(crate) fn explain(&self, error: Error, requested: usize) -> Error {
        let Error::Driver { operation, status: Status::OUT_OF_MEMORY } = error else { return error };
        let (free, total) = self.memory_info().ok().unzip();
        Error::OutOfMemory { operation, requested: requested as u64, free, total }
    }
}
