//! How a context gets its page-locked memory, and what it keeps of it.

use core::sync::atomic::Ordering;

use super::Context;

/// How a context has got its large page-locked memory: that of 256 KiB and more, unless it is write-combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockedStatistics {
    /// Bytes that have been freed and are kept for the next allocation: whole pages, and of huge ones also a last one that is
    /// at least half full.
    pub kept_bytes: u64,
    /// The most bytes that are kept ([`Context::keep_locked_memory`]).
    pub kept_limit: u64,
    /// Allocations that had kept pages: no driver call.
    pub reused: u64,
    /// Allocations that had fresh pages (`cuMemHostRegister_v2`).
    pub mapped: u64,
    /// Of the fresh ones, those of 2 MiB and more that the system gave no huge pages, which takes longer. Whether it gave
    /// as many as it was asked for, it does not say.
    pub without_huge_pages: u64,
    /// Allocations that were left to the driver (`cuMemHostAlloc`), since the system mapped nothing, or the driver did not
    /// register it: as where the device cannot, or at the limit on locked memory (`RLIMIT_MEMLOCK`). The first time, the
    /// reason is logged.
    pub refused: u64,
}

impl Context {
    /// How this context has got its large page-locked memory, and how much it keeps. Counters of the host: no driver call,
    /// and no wait.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Sim, SimOptions};
    ///
    /// let sim = Sim::new(SimOptions::default());
    /// let context = Context::new(&sim.device(0)?)?;
    /// drop(locked_vec![in &context; 1u8; 512 << 10]?);
    /// let again = locked_vec![in &context; 2u8; 512 << 10]?; // has the pages of the first
    /// let statistics = context.locked_statistics();
    /// assert_eq!((statistics.mapped, statistics.reused, statistics.refused), (1, 1, 0));
    /// drop(again);
    /// assert_eq!(context.locked_statistics().kept_bytes, 512 << 10);
    /// context.trim(0)?;
    /// assert_eq!(context.locked_statistics().kept_bytes, 0);
    ///
    /// // A device that cannot register memory:
    /// let sim = Sim::new(SimOptions::default().without_host_registration());
    /// let context = Context::new(&sim.device(0)?)?;
    /// drop(locked_vec![in &context; 1u8; 512 << 10]?); // by the driver, and given back to it
    /// assert_eq!((context.locked_statistics().refused, context.locked_statistics().kept_bytes), (1, 0));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn locked_statistics(&self) -> LockedStatistics {
        let locked = self.inner.locked();
        let (kept_bytes, kept_limit) = {
            let kept = locked.kept();
            (kept.bytes() as u64, kept.limit() as u64)
        };
        let [reused, mapped, without_huge_pages, refused] =
            [&locked.reused, &locked.mapped, &locked.without_huge_pages, &locked.refused]
                .map(|count| count.load(Ordering::Relaxed));
        LockedStatistics { kept_bytes, kept_limit, reused, mapped, without_huge_pages, refused }
    }
}
