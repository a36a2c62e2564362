//! Memory pools: what device memory is allocated from in stream order.

use core::ffi::c_void;
use core::fmt;
use std::sync::Arc;

use super::Context;
use super::binding::Relaxed;
use super::raw_pool::{PoolOptions, RawPool};
use crate::device::Device;
use crate::driver::ffi::{
    ACCESS_NONE, ACCESS_READ, ACCESS_READ_WRITE, CUmemAccessDesc, CUmemLocation, LOCATION_DEVICE,
    POOL_RELEASE_THRESHOLD, POOL_RESERVED_CURRENT, POOL_RESERVED_HIGH, POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
    POOL_REUSE_ALLOW_OPPORTUNISTIC, POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES, POOL_USED_CURRENT, POOL_USED_HIGH,
};
use crate::driver::{check, symbol};
use crate::error::{Error, Result};

/// The first driver that takes a pool's largest size, as `cuDriverGetVersion` has it: before, the field was not read.
const KNOWS_MAXIMUM: (u32, u32) = (12, 2);

/// A memory pool of a device: device memory is allocated from it and freed to it in stream order, and what is freed is
/// kept for the next allocation.
///
/// A context has one of its own ([`Context::memory_pool`]), from which device memory comes unless a pool is named:
/// `DeviceBuffer::zeroed_in(&pool, len)`, `device_vec![in &pool; …]`. A pool of a program's own has limits and counters of
/// its own. It is a cheap clone of one handle; every buffer from it keeps it alive, and its context open.
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

    /// What it holds and what is in use of that. Does not wait: what was freed counts as free, also behind pending work.
    /// Driver function: `cuMemPoolGetAttribute`, four times.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::{MemoryPool, PoolOptions};
    ///
    /// let pool = MemoryPool::new(PoolOptions::default())?;
    /// drop(device_vec![in &pool; 0u8; 1000]?);
    /// let statistics = pool.statistics()?;
    /// assert_eq!((statistics.used, statistics.used_peak), (0, 1000));
    /// assert!(statistics.reserved >= 1000); // kept
    /// pool.trim(0)?;
    /// assert_eq!(pool.statistics()?.reserved, 0);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn statistics(&self) -> Result<PoolStatistics> {
        let bound = self.context().inner.bind()?;
        let (driver, pool) = (bound.driver(), self.raw());
        Ok(PoolStatistics {
            reserved: pool.get(driver, POOL_RESERVED_CURRENT)?,
            reserved_peak: pool.get(driver, POOL_RESERVED_HIGH)?,
            used: pool.get(driver, POOL_USED_CURRENT)?,
            used_peak: pool.get(driver, POOL_USED_HIGH)?,
        })
    }

    /// Lets the two peaks of [`statistics`](Self::statistics) begin anew at what is reserved and used now. Does not
    /// wait. Driver function: `cuMemPoolSetAttribute`, twice.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn reset_peaks(&self) -> Result<()> {
        let bound = self.context().inner.bind()?;
        self.raw().set(bound.driver(), POOL_RESERVED_HIGH, 0)?;
        self.raw().set(bound.driver(), POOL_USED_HIGH, 0)
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

    /// Whether it makes use of a way to hand freed memory out again. Does not wait. Driver function:
    /// `cuMemPoolGetAttribute`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn reuse(&self, reuse: PoolReuse) -> Result<bool> {
        let bound = self.context().inner.bind()?;
        Ok(self.raw().get(bound.driver(), reuse.attribute())? != 0)
    }

    /// Says whether it may make use of a way to hand freed memory out again: all are on at first. None changes what is
    /// right, only when memory is free for the next. Does not wait. Driver function: `cuMemPoolSetAttribute`.
    ///
    /// ```
    /// use memcore::{MemoryPool, PoolOptions, PoolReuse};
    ///
    /// let pool = MemoryPool::new(PoolOptions::default())?;
    /// pool.set_reuse(PoolReuse::Opportunistic, false)?;
    /// assert!(!pool.reuse(PoolReuse::Opportunistic)?);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn set_reuse(&self, reuse: PoolReuse, is_on: bool) -> Result<()> {
        let bound = self.context().inner.bind()?;
        self.raw().set(bound.driver(), reuse.attribute(), u64::from(is_on))
    }

    /// What work of `device` may do with memory of the pool. Does not wait. Driver function: `cuMemPoolGetAccess`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`]; the driver's code.
    #[track_caller]
    pub fn access(&self, device: &Device) -> Result<Access> {
        self.context().device().require_same_driver(device)?;
        let bound = self.context().inner.bind()?;
        let (mut flags, mut location) = (0, CUmemLocation { kind: LOCATION_DEVICE, id: device.handle() });
        // SAFETY: the pool is alive; `flags` is writable and `location` readable for the length of the call.
        let status = unsafe { bound.driver().pool_get_access(&raw mut flags, self.raw().handle(), &raw mut location) };
        check(symbol::pool_get_access, status)?;
        Ok(Access::of(flags))
    }

    /// Lets kernels and copies of `device` read and write the pool's memory directly, what is allocated from it already
    /// included. The pool's own device does so anyway. Peer access between the contexts ([`Context::enable_peer_access`])
    /// does not do it: it is for memory that is not of a pool. Does not wait. Driver function: `cuMemPoolSetAccess`.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Sim, SimOptions};
    /// use memcore::{Access, MemoryPool, PoolOptions};
    ///
    /// let sim = Sim::new(SimOptions::default().devices(2));
    /// let (context, other) = (Context::new(&sim.device(0)?)?, sim.device(1)?);
    /// let pool = MemoryPool::new_in(&context, PoolOptions::default())?;
    /// assert_eq!(pool.access(&other)?, Access::None);
    /// pool.allow_access(&other)?;
    /// assert_eq!(pool.access(&other)?, Access::ReadWrite);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`]; the driver's code, where the device cannot reach the pool's
    /// ([`Device::can_access_peer`]).
    #[track_caller]
    pub fn allow_access(&self, device: &Device) -> Result<()> {
        self.set_access(device, ACCESS_READ_WRITE)
    }

    /// Takes back what [`allow_access`](Self::allow_access) gave. Does not wait, not even for work that makes use of it.
    /// Driver function: `cuMemPoolSetAccess`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`]; the driver's code, `INVALID_DEVICE` for the pool's own device.
    ///
    /// # Safety
    ///
    /// No work of `device` that is pending, or comes later, reaches the pool's memory but by copies between devices:
    /// neither of this program nor of a library in it.
    #[track_caller]
    pub unsafe fn revoke_access(&self, device: &Device) -> Result<()> {
        self.set_access(device, ACCESS_NONE)
    }

    #[track_caller]
    fn set_access(&self, device: &Device, flags: u32) -> Result<()> {
        self.context().device().require_same_driver(device)?;
        let bound = self.context().inner.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        let location = CUmemLocation { kind: LOCATION_DEVICE, id: device.handle() };
        let access = CUmemAccessDesc { location, flags };
        // SAFETY: the pool is alive, and there is one descriptor, readable for the length of the call.
        let status = unsafe { bound.driver().pool_set_access(self.raw().handle(), &raw const access, 1) };
        check(symbol::pool_set_access, status)
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

/// What a [`MemoryPool`] holds, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStatistics {
    /// Held, in use or not.
    pub reserved: u64,
    /// The most that were held since the last [reset](MemoryPool::reset_peaks).
    pub reserved_peak: u64,
    /// In use: what was asked for and has not been freed.
    pub used: u64,
    /// The most that were in use since the last [reset](MemoryPool::reset_peaks).
    pub used_peak: u64,
}

/// The ways in which a [`MemoryPool`] hands out memory that was freed on another stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PoolReuse {
    /// Where events say that the free comes before the allocation.
    FollowEventDependencies,
    /// Where the free happens to be done.
    Opportunistic,
    /// By letting the allocation's stream wait for the free.
    InternalDependencies,
}

impl PoolReuse {
    const fn attribute(self) -> u32 {
        match self {
            Self::FollowEventDependencies => POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,
            Self::Opportunistic => POOL_REUSE_ALLOW_OPPORTUNISTIC,
            Self::InternalDependencies => POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES,
        }
    }
}

/// What may be done with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Nothing.
    None,
    /// It may be read.
    Read,
    /// It may be read and written.
    ReadWrite,
    /// Something that this crate has no name for, by the driver's number.
    Other(u32),
}

impl Access {
    pub(crate) const fn of(flags: u32) -> Self {
        match flags {
            ACCESS_NONE => Self::None,
            ACCESS_READ => Self::Read,
            ACCESS_READ_WRITE => Self::ReadWrite,
            other => Self::Other(other),
        }
    }
}
