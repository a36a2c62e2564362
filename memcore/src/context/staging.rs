//! How copies from and to pageable memory are staged.

use super::Context;
use super::staging_pool::{SMALL, Size};
use crate::error::Result;

/// How a context copies from and to pageable memory: through page-locked memory of its own, by several threads, or through
/// the driver's.
///
/// A device reads and writes page-locked memory alone. For other memory a driver copies in between, on one core: 9 GB/s up
/// and 15 down on an H200 whose bus moves 55 (`docs/performance.md`). So a synchronous copy of pageable memory goes in
/// pieces through page-locked memory of the context's, which several threads fill or empty while the device copies. The
/// memory is made and the threads are started when a copy first needs them, are kept for the next, and are given back by
/// [`Context::trim`].
///
/// A copy that finds the memory in use by others, or gets none, goes through the driver's, as all do with
/// [`Staging::off`]; and so does what the driver copies as fast: uploads of 128 KiB to 2 MiB, unless other copies run at
/// the same time; with two or three threads uploads of 2 to 8 MiB; with one thread all of 2 MiB and more, both ways.
///
/// ```
/// use memcore::prelude::*;
/// use memcore::Staging;
///
/// let context = Context::current()?;
/// context.set_staging(Staging::default().threads(4).maximum_bytes(8 << 20))?;
/// let host = vec![7u8; 4 << 20];
/// let dev = DeviceBuffer::from_slice_in(&context, &host)?; // staged, by at most four threads
/// assert!((1..=8 << 20).contains(&context.staging_bytes()));
/// context.trim(0)?;
/// assert_eq!(context.staging_bytes(), 0);
/// # assert_eq!(dev.to_vec()?, host);
/// # Ok::<(), memcore::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Staging {
    threads: usize,
    maximum_bytes: usize,
}

impl Staging {
    /// More threads gained nothing on the machine of `docs/performance.md`, whose bus eight of them fill.
    const MOST_THREADS: usize = 8;

    /// None: copies go through the driver.
    #[must_use]
    pub const fn off() -> Self {
        Self { threads: 0, maximum_bytes: 0 }
    }

    /// At most so many threads work on one copy, the calling one included; 0 turns staging off. The default is the number
    /// of cores, and at most 8. As many touch the pages of large page-locked memory when it is allocated.
    #[must_use]
    pub const fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// At most so many bytes of page-locked memory: a sixteenth in pieces of 128 KiB for copies up to that size, and for
    /// larger ones almost two pieces for each thread, of at most 2 MiB. Where these come out below 128 KiB (of 8 threads,
    /// below 2 MiB in all) larger copies go through the driver, and below 128 KiB in all every copy. The default is 32 MiB.
    #[must_use]
    pub const fn maximum_bytes(self, bytes: usize) -> Self {
        Self { maximum_bytes: bytes, ..self }
    }

    pub(crate) const fn most_threads(self) -> usize {
        self.threads
    }

    pub(super) const fn most_bytes(self) -> usize {
        self.maximum_bytes
    }

    /// Of the maximum, what is for small copies: a sixteenth, and a piece at least.
    pub(super) const fn bytes_for_small(self) -> usize {
        let sixteenth = self.maximum_bytes / 16;
        let bytes = if sixteenth > SMALL { sixteenth } else { SMALL };
        if bytes < self.maximum_bytes { bytes } else { self.maximum_bytes }
    }

    /// Whether copies use pieces of a size.
    pub(super) fn uses(self, size: Size) -> bool {
        self.threads > 0 && (size == Size::Small || size == Size::Large(self.piece_bytes()))
    }

    /// Bytes of a piece for large copies, whole pages: almost two for each thread.
    pub(crate) const fn piece_bytes(self) -> usize {
        const MOST: usize = 2 << 20;
        const PAGE: usize = 4096;
        if self.threads == 0 {
            return 0;
        }
        let pieces = self.threads.saturating_mul(2).saturating_sub(1);
        let bytes = (self.maximum_bytes - self.bytes_for_small()) / pieces / PAGE * PAGE;
        if bytes < MOST { bytes } else { MOST }
    }
}

impl Default for Staging {
    fn default() -> Self {
        // Where the number is not known, one: the caller.
        let cores = std::thread::available_parallelism().map_or(1, core::num::NonZero::get);
        Self { threads: cores.min(Self::MOST_THREADS), maximum_bytes: 32 << 20 }
    }
}

impl Context {
    /// How copies from and to pageable memory are staged. No driver call, and no wait.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let context = Context::current()?;
    /// let fewer = context.staging().threads(2); // the rest stays as it is
    /// context.set_staging(fewer)?;
    /// assert_eq!(context.staging(), fewer);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn staging(&self) -> Staging {
        self.inner.staging_pool().settings()
    }

    /// Changes how copies from and to pageable memory are staged, from the next one on, and gives back
    /// what is idle: page-locked memory, its events, and the threads. Driver functions: `cuMemFreeHost`, which may wait for
    /// device work, and `cuEventDestroy_v2`.
    ///
    /// # Errors
    ///
    /// The driver's code, where the context cannot be made current; the change is made all the same.
    #[track_caller]
    pub fn set_staging(&self, staging: Staging) -> Result<()> {
        self.inner.staging_pool().set(staging);
        self.inner.trim_host()
    }

    /// How many bytes of page-locked memory the context holds for copies from and to pageable memory, now. No driver call, and
    /// no wait.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Sim, SimOptions};
    ///
    /// let sim = Sim::new(SimOptions::default());
    /// let context = Context::new(&sim.device(0)?)?;
    /// assert_eq!(context.staging_bytes(), 0);
    /// let dev = device_vec![in &context; 1u8, 2, 3]?;
    /// assert_eq!(dev.to_vec()?, [1, 2, 3]); // through one small piece
    /// assert_eq!(context.staging_bytes(), 128 << 10);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn staging_bytes(&self) -> usize {
        self.inner.staging_pool().bytes()
    }
}
