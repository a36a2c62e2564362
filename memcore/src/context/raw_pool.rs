//! The driver's memory pools.

use super::pool_options::PoolOptions;
use crate::device::Device;
use crate::driver::ffi::{
    ALLOCATION_TYPE_PINNED, CUmemLocation, CUmemPoolProps, CUmemoryPool, Handle, LOCATION_DEVICE,
    POOL_RELEASE_THRESHOLD, POOL_USED_CURRENT,
};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result, Status};

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
