//! How a memory pool hands freed memory out again.

use super::MemoryPool;
use crate::driver::ffi::{
    POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES, POOL_REUSE_ALLOW_OPPORTUNISTIC, POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES,
};
use crate::error::Result;

/// The ways in which a [`MemoryPool`] hands out memory that was freed on another stream: see
/// [`MemoryPool::set_reuse`].
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

impl MemoryPool {
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
}
