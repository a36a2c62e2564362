//! How much device memory a context's owners hold.

use core::sync::atomic::{AtomicU64, Ordering};

use super::Context;

/// Device memory that memcore owns in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AllocationStatistics {
    /// Bytes now, as they were asked for.
    pub current_bytes: u64,
    /// The most bytes at any time since the last [reset](Context::reset_allocation_peaks).
    pub peak_bytes: u64,
    /// Allocations now.
    pub current_count: u64,
    /// The most allocations at any time since the last [reset](Context::reset_allocation_peaks).
    pub peak_count: u64,
}

/// A number that rises and falls, and the highest that it was.
#[derive(Debug, Default)]
struct Level {
    current: AtomicU64,
    peak: AtomicU64,
}

impl Level {
    fn rise(&self, by: u64) {
        let now = self.current.fetch_add(by, Ordering::Relaxed) + by;
        self.peak.fetch_max(now, Ordering::Relaxed);
    }

    fn fall(&self, by: u64) {
        self.current.fetch_sub(by, Ordering::Relaxed);
    }

    fn read(&self) -> (u64, u64) {
        let current = self.current.load(Ordering::Relaxed);
        // Another thread may be between the two numbers.
        (current, self.peak.load(Ordering::Relaxed).max(current))
    }

    fn reset(&self) {
        self.peak.store(self.current.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// What a context's owners hold.
#[derive(Debug, Default)]
pub(super) struct Counts {
    bytes: Level,
    count: Level,
}

impl Counts {
    /// An owner has so many bytes more.
    pub(super) fn add(&self, bytes: usize) {
        self.bytes.rise(bytes as u64);
        self.count.rise(1);
    }

    /// An owner has them no more.
    pub(super) fn remove(&self, bytes: usize) {
        self.bytes.fall(bytes as u64);
        self.count.fall(1);
    }
}

impl Context {
    /// How much device memory memcore's owners and scopes hold in this context, from whatever pool, and the most that it
    /// was. Not counted are memory made by hand ([`memory::cuda_malloc`](crate::memory::cuda_malloc)) and buffers taken apart
    /// ([`into_raw_parts`](crate::DeviceBuffer::into_raw_parts)). Counters of the host: no driver call, and no wait.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Sim, SimOptions};
    ///
    /// let sim = Sim::new(SimOptions::default());
    /// let context = Context::new(&sim.device(0)?)?;
    /// let dev = device_vec![in &context; 0u32; 100]?;
    /// drop(device_vec![in &context; 0u8; 50]?);
    /// let statistics = context.allocation_statistics();
    /// assert_eq!((statistics.current_bytes, statistics.peak_bytes), (400, 450));
    /// assert_eq!((statistics.current_count, statistics.peak_count), (1, 2));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn allocation_statistics(&self) -> AllocationStatistics {
        let counts = self.inner.counts();
        let ((current_bytes, peak_bytes), (current_count, peak_count)) = (counts.bytes.read(), counts.count.read());
        AllocationStatistics { current_bytes, peak_bytes, current_count, peak_count }
    }

    /// Lets the two peaks of [`allocation_statistics`](Self::allocation_statistics) begin anew at what there is now.
    pub fn reset_allocation_peaks(&self) {
        self.inner.counts().bytes.reset();
        self.inner.counts().count.reset();
    }
}
