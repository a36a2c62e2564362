//! Memory pools: what device memory is allocated from in stream order.

use core::ffi::c_void;
use core::fmt;
use std::sync::Arc;

use super::Context;
use super::binding::Relaxed;
use super::pool_options::PoolOptions;
use super::raw_pool::RawPool;
use crate::driver::ffi::POOL_RELEASE_THRESHOLD;
use crate::error::{Error, Result};

/// The first driver that takes a pool's largest size, as `cuDriverGetVersion` has it: before, the field was not read.
const KNOWS_MAXIMUM: (u32, u32) = (12, 2);

/// A memory pool of a device: device memory is allocated from it and freed to it in stream order, and what is freed is
/// kept for the next allocation.
///
/// A context has one of its own ([`Context::memory_pool`]), from which device memory comes unless a pool is named:
/// `DeviceBuffer::zeroed_in(&pool, len)`, `device_vec![in &pool; …]`. A pool of a program's own has limits and counters of
/// its own. It is a cheap clone of one handle; every buffer from it keeps it alive, and its context open. What it keeps it does
/// not give back when memory runs out elsewhere: [`trim`](Self::trim) does.
///
/// ```
/// use memcore::prelude::*;
/// use memcore::{Error, MemoryPool, PoolOptions};
///
/// let pool = MemoryPool::new(PoolOptions::default().maximum_bytes(64 << 20))?;
/// let dev = DeviceBuffer::<f32>::zeroed_in(&pool, 1000)?;
/// let more = device_vec![in &pool; 1u8, 2, 3]?;
/// assert_eq!(pool.statistics()?.used, 4003);
///
/// let error = DeviceBuffer::<u8>::zeroed_in(&pool, 65 << 20).unwrap_err();
/// assert!(matches!(error, Error::PoolExhausted { requested: 68157440, maximum: 67108864, .. }));
/// # Ok::<(), memcore::Error>(())
/// ```
#[derive(Clone)]
pub struct MemoryPool {
    shared: Arc<Shared>,
}

/// What the clones of a pool share.
struct Shared {
    context: Context,
    pool: RawPool,
    /// Whether it is destroyed with this; not where it is the context's.
    is_owned: bool,
}

impl MemoryPool {
    /// A pool of the current context's device. Does not wait. Driver functions: `cuMemPoolCreate`,
    /// `cuMemPoolSetAttribute`; with a maximum, `cuDriverGetVersion` first.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] where the device has no pools, and of a maximum where the driver is older than CUDA 12.2; the
    /// driver's code, `OUT_OF_MEMORY` for a maximum beyond what it can address.
    #[track_caller]
    pub fn new(options: PoolOptions) -> Result<Self> {
        Self::new_in(&Context::current()?, options)
    }

    /// As [`new`](Self::new), of the device of `context`.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new).
    #[track_caller]
    pub fn new_in(context: &Context, options: PoolOptions) -> Result<Self> {
        let unsupported = Error::Unsupported { what: "a memory pool" };
        if context.inner.pool().is_none() {
            return Err(unsupported);
        }
        if options.maximum_bytes != 0 && context.device().driver_version()? < KNOWS_MAXIMUM {
            return Err(Error::Unsupported { what: "a memory pool with a maximum" });
        }
        let bound = context.inner.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        let pool = RawPool::create(bound.driver(), context.device(), options)?.ok_or(unsupported)?;
        Ok(Self { shared: Arc::new(Shared { context: context.clone(), pool, is_owned: true }) })
    }

    /// The context whose buffers it serves.
    #[must_use]
    pub fn context(&self) -> &Context {
        &self.shared.context
    }

    /// The most bytes that it may hold, as it was made; `None` without a limit.
    #[must_use]
    pub fn maximum_bytes(&self) -> Option<usize> {
        Some(self.shared.pool.maximum()).filter(|bytes| *bytes != 0)
    }

    /// The driver's handle (`CUmemoryPool`), for calls of other libraries. It is valid while the pool lives.
    #[must_use]
    pub fn as_raw(&self) -> *mut c_void {
        self.shared.pool.handle().cast()
    }

    pub(crate) fn raw(&self) -> RawPool {
        self.shared.pool
    }

    /// Gives memory that it keeps back to the device, all but `keep_bytes`. Waits for the frees of dropped buffers, but not
    /// for those that were queued on a stream ([`DeviceBuffer::drop_on`](crate::DeviceBuffer::drop_on), a scope's
    /// temporaries). Memory in use stays. Driver functions: `cuStreamSynchronize`, `cuMemPoolTrimTo`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn trim(&self, keep_bytes: usize) -> Result<()> {
        self.context().inner.trim(Some(self.raw()), keep_bytes)
    }

    /// How many bytes it keeps when something waits; see [`PoolOptions::release_threshold`]. Does not wait. Driver
    /// function: `cuMemPoolGetAttribute`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn release_threshold(&self) -> Result<u64> {
        let bound = self.context().inner.bind()?;
        self.raw().get(bound.driver(), POOL_RELEASE_THRESHOLD)
    }

    /// Changes how many bytes it keeps when something waits. Does not wait. Driver function: `cuMemPoolSetAttribute`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn set_release_threshold(&self, bytes: u64) -> Result<()> {
        let bound = self.context().inner.bind()?;
        self.raw().set(bound.driver(), POOL_RELEASE_THRESHOLD, bytes)
    }
}

impl Context {
    /// The pool that the context's device memory comes from unless another is named; `None` where the device has no pools
    /// ([`Context::allocator`]).
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let context = Context::current()?;
    /// if let Some(pool) = context.memory_pool() {
    ///     println!("{} bytes are kept", pool.statistics()?.reserved);
    /// }
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn memory_pool(&self) -> Option<MemoryPool> {
        let pool = self.inner.pool()?;
        Some(MemoryPool { shared: Arc::new(Shared { context: self.clone(), pool, is_owned: false }) })
    }
}

/// Does not wait (`cuMemPoolDestroy`).
impl Drop for Shared {
    fn drop(&mut self) {
        if !self.is_owned {
            return;
        }
        match self.context.inner.bind() {
            Ok(bound) => {
                let _relaxed = Relaxed::new(bound.driver());
                // SAFETY: the last clone is gone, and nothing is freed to the pool from here on: each owner of memory from it has
                // one until that is freed (the invariant of `DeviceMemory::pool`), or leaks it.
                unsafe { self.pool.destroy(bound.driver()) };
            }
            Err(error) => log::debug!("a pool was not destroyed: {error}"),
        }
    }
}

/// Two are equal if they are one pool of the driver.
impl PartialEq for MemoryPool {
    fn eq(&self, other: &Self) -> bool {
        self.raw() == other.raw() && self.context() == other.context()
    }
}

impl Eq for MemoryPool {}

impl fmt::Debug for MemoryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryPool").field("device", self.context().device()).field("pool", &self.as_raw()).finish()
    }
}
