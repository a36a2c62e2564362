//! Contexts: what owns memory and streams on a device.

mod access;
mod allocate;
mod allocate_in;
mod binding;
mod current;
mod events;
mod inner;
mod keep_locked;
mod kept;
mod locked;
mod locked_statistics;
mod mapping;
mod page_locked;
mod peer;
mod pitched;
mod pool;
mod pool_options;
mod pool_reuse;
mod pool_statistics;
mod populate;
mod raw_pool;
mod registry;
mod settle;
mod staging;
mod staging_pool;
mod statistics;
mod streams;
mod ticket;
mod trim;

pub use access::Access;
pub use allocate::AllocatorKind;
pub(crate) use allocate::{Allocation, Prepare, freed_at_exit};
pub use allocate_in::AllocateIn;
pub(crate) use allocate_in::Heap;
pub(crate) use binding::{Bound, Relaxed};
pub use current::Entered;
pub(crate) use events::Events;
pub(crate) use inner::Inner;
pub(crate) use locked::Contents;
pub use locked_statistics::LockedStatistics;
pub(crate) use mapping::mapping_owner_of;
pub(crate) use page_locked::{Listed, is_listed};
pub use pool::MemoryPool;
pub use pool_options::PoolOptions;
pub use pool_reuse::PoolReuse;
pub use pool_statistics::PoolStatistics;
pub(crate) use registry::{context_of, host_owner_of, keep_open_contexts, owner_of};
pub(crate) use settle::{Exposed, Pending, is_over, prove, settle};
pub use staging::Staging;
pub(crate) use staging_pool::{Piece, SMALL, Size};
pub use statistics::AllocationStatistics;
pub(crate) use streams::RawStream;
pub(crate) use ticket::Ticket;

use core::fmt;
use std::sync::Arc;

use crate::device::Device;
use crate::driver::{check, symbol};
use crate::error::{Error, Result};

/// A device's primary context: what memory and streams belong to.
///
/// Cloning is cheap. It is the context that the CUDA runtime API and the libraries built on it use, so device pointers
/// can be shared with them. Every buffer and stream keeps its context open and makes it current for its own calls, on
/// any thread; the caller's current context stays as it was. When the last clone and the last owner are gone the
/// context is released (`cuDevicePrimaryCtxRelease_v2`).
///
/// No context has to be opened by hand: where none is entered, the first call opens the one of device 0 (or of the
/// device that `MEMCORE_DEVICE` names), which then stays open.
///
/// ```
/// use memcore::prelude::*;
///
/// let context = Context::new(&Device::new(0)?)?;
/// let _entered = context.enter();
/// let dev = device_vec![1u32, 2, 3]?; // in `context`
/// assert_eq!(dev.to_vec()?, [1, 2, 3]);
/// # Ok::<(), memcore::Error>(())
/// ```
#[derive(Clone)]
pub struct Context {
    pub(crate) inner: Arc<Inner>,
}

impl Context {
    /// Opens the primary context of `device`; a second call for the same device gives a clone of the first.
    ///
    /// Driver functions: `cuDevicePrimaryCtxRetain`, `cuStreamCreateWithPriority`, `cuMemPoolCreate`,
    /// `cuMemPoolSetAttribute`. It does not wait for device work; opening a GPU's first context takes a while (106 to
    /// 133 ms on the H200 of `docs/design.md`).
    ///
    /// # Errors
    ///
    /// The driver's code; nothing is left behind.
    #[track_caller]
    pub fn new(device: &Device) -> Result<Self> {
        Ok(Self { inner: registry::get_or_open(device, || Inner::open(device))? })
    }

    /// The context that a call on this thread uses where none is named: the innermost entered one, else the default
    /// device's, which this opens as [`Context::new`] does.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidVariable`] if `MEMCORE_DEVICE` is no number; what [`Device::new`] and [`Context::new`] fail
    /// with.
    #[track_caller]
    pub fn current() -> Result<Self> {
        current::current()
    }

    /// Makes the context current on this thread until the guard is dropped, for memcore and for the driver
    /// (`cuCtxSetCurrent`). A driver that refuses (its failure is logged) refuses the next call too, which says so.
    ///
    /// Other threads are as they were: each enters for itself, or names the context (`DeviceBuffer::zeroed_in(&context, …)`,
    /// `device_vec![in &context; …]`, [`Stream::new_in`](crate::Stream::new_in)). The guard is not `Send`, so a task that is
    /// spawned on a pool of threads cannot hold it across an `.await`: in `async` code name the context.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Sim, SimOptions};
    ///
    /// let sim = Sim::new(SimOptions::default());
    /// let context = Context::new(&sim.device(0)?)?;
    /// let _entered = context.enter();
    /// let here = device_vec![1u8; 4]?; // in `context`
    /// let there = std::thread::scope(|threads| {
    ///     let thread = threads.spawn(|| device_vec![in &context; 1u8; 4]); // on another thread it is named
    ///     thread.join().unwrap()
    /// })?;
    /// assert_eq!(here.to_vec()?, there.to_vec()?);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    pub fn enter(&self) -> Entered<'_> {
        current::enter(self)
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        self.inner.device()
    }

    /// Waits until all work of the context is done, also that of other libraries. Driver function: `cuCtxSynchronize`.
    ///
    /// While any stream of the context is being captured the driver refuses this with 900 and invalidates the capture:
    /// wait for streams, which leaves captures alone.
    ///
    /// # Errors
    ///
    /// The driver's code: of the wait, or of earlier asynchronous work that failed.
    #[track_caller]
    pub fn synchronize(&self) -> Result<()> {
        let bound = self.inner.bind()?;
        // SAFETY: the context is current; the call takes no pointer.
        check(symbol::context_synchronize, unsafe { bound.driver().context_synchronize() })
    }

    /// The priorities that streams can have, as (least, greatest): the greatest is the lower number. Does not wait.
    /// Driver function: `cuCtxGetStreamPriorityRange`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn stream_priorities(&self) -> Result<(i32, i32)> {
        let bound = self.inner.bind()?;
        let (mut least, mut greatest) = (0, 0);
        // SAFETY: both are writable for the length of the call.
        let status = unsafe { bound.driver().stream_priority_range(&raw mut least, &raw mut greatest) };
        check(symbol::stream_priority_range, status)?;
        Ok((least, greatest))
    }

    /// How the context gets its device memory.
    #[must_use]
    pub fn allocator(&self) -> AllocatorKind {
        self.inner.allocator_kind()
    }

    /// Device memory in bytes as (free, total). Does not wait. What the pool keeps for later is not free: see
    /// [`Context::trim`]. Driver function: `cuMemGetInfo_v2`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let context = Context::current()?;
    /// let (before, _) = context.memory_info()?;
    /// drop(device_vec![1u8; 64 << 20]?);
    /// context.trim(0)?; // what was freed goes back to the device
    /// assert_eq!(context.memory_info()?.0, before);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn memory_info(&self) -> Result<(u64, u64)> {
        self.inner.memory_info()
    }

    /// Gives back what the context keeps for later: to the device what the pool holds, all but `keep_bytes`; to the system
    /// page-locked memory that was freed, all but as many ([`keep_locked_memory`](Self::keep_locked_memory)); the
    /// page-locked memory of [`Staging`] that no copy uses, and its events; and the threads that copy for it. Waits for
    /// pending frees, but not for those of a scope that has not ended. Driver functions: `cuStreamSynchronize`, `cuMemPoolTrimTo`,
    /// `cuMemFreeHost`, `cuEventDestroy_v2`, `cuMemHostUnregister`. Without a pool, of device memory it only waits.
    ///
    /// # Errors
    ///
    /// The driver's code. Page-locked memory that could not be unregistered is leaked.
    #[track_caller]
    pub fn trim(&self, keep_bytes: usize) -> Result<()> {
        self.inner.trim_all(keep_bytes)
    }

    /// The errors of frees that failed in a `Drop` since this was last called, oldest first, at most 1,024. They are
    /// logged too, and surface nowhere else; the memory concerned is leaked.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::Status;
    /// use memcore::sim::{Fault, Sim, SimOptions};
    ///
    /// let fault = Fault::nth("cuMemFreeAsync", 1, Status::UNKNOWN);
    /// let sim = Sim::new(SimOptions::default().fail(fault));
    /// let context = Context::new(&sim.device(0)?)?;
    /// drop(device_vec![in &context; 1u8, 2, 3]?); // fails, and neither panics nor disturbs the next call
    /// assert_eq!(context.take_drop_errors()[0].status(), Some(Status::UNKNOWN));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn take_drop_errors(&self) -> Vec<Error> {
        self.inner.take_drop_errors()
    }
}

/// Two contexts are equal if they are clones of one.
impl PartialEq for Context {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Context {}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Context").field(self.device()).finish()
    }
}
