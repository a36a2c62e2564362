//! The driver's memory pools, and what they are made like.

use crate::device::Device;
use crate::driver::ffi::{
    ALLOCATION_TYPE_PINNED, CUmemLocation, CUmemPoolProps, CUmemoryPool, Handle, LOCATION_DEVICE,
    POOL_RELEASE_THRESHOLD, POOL_USED_CURRENT,
};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result, Status};

/// What a [`MemoryPool`](crate::MemoryPool) is to be like.
///
/// ```
/// use memcore::PoolOptions;
///
/// let options = PoolOptions::default().maximum_bytes(1 << 30).release_threshold(0);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolOptions {
    pub(super) maximum_bytes: usize,
    release_threshold: u64,
}

/// Without a limit, and keeping all that is freed to it.
impl Default for PoolOptions {
    fn default() -> Self {
        Self { maximum_bytes: 0, release_threshold: u64::MAX }
    }
}

impl PoolOptions {
    /// The most bytes that the pool may hold, in use or not; 0 for no limit. The driver takes it up to the next multiple
    /// of its own (32 MiB on an H200).
    #[must_use]
    pub fn maximum_bytes(mut self, bytes: usize) -> Self {
        self.maximum_bytes = bytes;
        self
    }

    /// How many bytes the pool keeps when something waits for a stream, event or context; what it holds beyond, and is not
    /// in use, goes back to the device. By default it keeps all.
    #[must_use]
    pub fn release_threshold(mut self, bytes: u64) -> Self {
        self.release_threshold = bytes;
        self
    }
}

/// The driver's pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RawPool {
    handle: Handle<CUmemoryPool>,
    /// In bytes, 0 for none.
    maximum: usize,
}

impl RawPool {
    /// A new pool; `None` where the driver is too old to make one.
    #[track_caller]
    pub(super) fn create(driver: &dyn Driver, device: &Device, options: PoolOptions) -> Result<Option<Self>> {
        let props = CUmemPoolProps {
            alloc_type: ALLOCATION_TYPE_PINNED,
            handle_types: 0,
            location: CUmemLocation { kind: LOCATION_DEVICE, id: device.handle() },
            win32_security_attributes: core::ptr::null_mut(),
            max_size: options.maximum_bytes,
            usage: 0,
            reserved: [0; 54],
        };
        let mut pool: CUmemoryPool = core::ptr::null_mut();
        // SAFETY: `pool` is writable and `props` readable for the length of the call.
        match unsafe { driver.pool_create(&raw mut pool, &raw const props) } {
            Status::MISSING_SYMBOL | Status::NOT_SUPPORTED => return Ok(None),
            status => check(symbol::pool_create, status)?,
        }
        let pool = Self { handle: Handle(pool), maximum: options.maximum_bytes };
        if let Err(error) = pool.set(driver, POOL_RELEASE_THRESHOLD, options.release_threshold) {
            // SAFETY: the pool was just made and nothing uses it.
            let _ = unsafe { driver.pool_destroy(pool.handle.0) };
            return Err(error);
        }
        Ok(Some(pool))
    }

    /// In bytes, 0 for none.
    pub(super) fn maximum(self) -> usize {
        self.maximum
    }

    pub(super) fn handle(self) -> CUmemoryPool {
        self.handle.0
    }

    /// Destroys it. Memory that is still allocated from it stays valid, but may not be freed any more: a driver (580.159.04)
    /// crashed then, whatever CUDA's documentation says (`scripts/probes/pool_destroy.py`). A free may be pending.
    ///
    /// # Safety
    ///
    /// It is used no more, and nothing is freed to it from here on.
    #[track_caller]
    pub(super) unsafe fn destroy(self, driver: &dyn Driver) {
        // SAFETY: the pool is alive and, by the caller's contract, used no more.
        let status = unsafe { driver.pool_destroy(self.handle.0) };
        if !status.is_success() {
            log::debug!("a pool was not destroyed: {status}");
        }
    }

    /// Gives unused memory back to the device, all but `keep` bytes.
    #[track_caller]
    pub(super) fn trim(self, driver: &dyn Driver, keep: usize) -> Result<()> {
        // SAFETY: the pool is alive.
        check(symbol::pool_trim, unsafe { driver.pool_trim(self.handle.0, keep) })
    }

    /// Sets an attribute, a `u64` or an `int`: of the former the lower half comes first, on every host of CUDA's, and is the
    /// latter.
    #[track_caller]
    pub(super) fn set(self, driver: &dyn Driver, attribute: u32, mut value: u64) -> Result<()> {
        // SAFETY: the pool is alive, and an attribute is read as a `u64` or an `int`, for either of which `value` serves.
        let status = unsafe { driver.pool_set_attribute(self.handle.0, attribute, (&raw mut value).cast()) };
        check(symbol::pool_set_attribute, status)
    }

    /// An attribute, as of [`set`](Self::set).
    #[track_caller]
    pub(super) fn get(self, driver: &dyn Driver, attribute: u32) -> Result<u64> {
        let mut value = 0_u64;
        // SAFETY: the pool is alive, and an attribute is written as a `u64` or an `int`, for either of which `value` has room.
        let status = unsafe { driver.pool_get_attribute(self.handle.0, attribute, (&raw mut value).cast()) };
        check(symbol::pool_get_attribute, status)?;
        Ok(value)
    }

    /// What to say of an allocation of `requested` bytes that was refused: that the pool is full, if that is why.
    #[track_caller]
    pub(super) fn explain(self, driver: &dyn Driver, error: Error, requested: usize) -> Error {
        let (requested, maximum) = (requested as u64, self.maximum as u64);
        let Error::OutOfMemory { operation, free, .. } = error else { return error };
        if maximum == 0 {
            return error;
        }
        let used = self.get(driver, POOL_USED_CURRENT).ok();
        // Where the device has room it is the pool that has none, in one piece.
        let is_full = used.is_some_and(|used| used.saturating_add(requested) > maximum)
            || free.is_some_and(|free| free >= requested);
        if is_full { Error::PoolExhausted { operation, requested, used, maximum } } else { error }
    }
}
