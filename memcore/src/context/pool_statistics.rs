//! What a memory pool holds.

use super::MemoryPool;
use crate::driver::ffi::{POOL_RESERVED_CURRENT, POOL_RESERVED_HIGH, POOL_USED_CURRENT, POOL_USED_HIGH};
use crate::error::Result;

/// What a [`MemoryPool`] holds, in bytes: see [`MemoryPool::statistics`].
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

impl MemoryPool {
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
}
