//! What a memory pool is made like.

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
    pub(super) release_threshold: u64,
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
