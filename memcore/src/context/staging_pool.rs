//! The page-locked memory through which a context copies pageable memory.

use core::ffi::c_void;
use core::mem::{ManuallyDrop, forget, replace, take};
use core::ptr::{self, NonNull};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::inner::Inner;
use super::staging::Staging;
use crate::driver::ffi::{HOST_DEVICE_MAPPED, HOST_PORTABLE};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result};

/// Bytes of a piece for small copies.
pub(crate) const SMALL: usize = 128 << 10;

/// A piece of page-locked memory.
#[derive(Debug)]
struct Slab {
    /// INVARIANT: from `mem_host_alloc`, `bytes` long, this slab's alone.
    start: NonNull<c_void>,
    bytes: usize,
}

// SAFETY: the memory is the slab's alone, and the driver frees on any thread.
unsafe impl Send for Slab {}

// SAFETY: a shared reference gives the address alone.
unsafe impl Sync for Slab {}

impl Slab {
    #[track_caller]
    fn allocate(driver: &dyn Driver, bytes: usize) -> Result<Self> {
        let mut start = ptr::null_mut();
        // SAFETY: `start` is writable for the length of the call.
        let status = unsafe { driver.mem_host_alloc(&raw mut start, bytes, HOST_PORTABLE | HOST_DEVICE_MAPPED) };
        check(symbol::mem_host_alloc, status)?;
        let start = NonNull::new(start).ok_or(Error::Unsupported { what: "page-locked memory" })?;
        driver.keep(start.addr().get() as u64);
        Ok(Self { start, bytes })
    }

    /// Gives it back, with the context bound.
    #[track_caller]
    fn free(self, driver: &dyn Driver) {
        // SAFETY: by the invariant; it ends here, and whoever had it has settled what used it.
        let status = unsafe { driver.mem_free_host(self.start.as_ptr()) };
        if !status.is_success() {
            log::debug!("page-locked memory for copies was leaked: {status}");
        }
    }
}

/// The pieces of a context: few, bounded, made when first needed and kept.
#[derive(Debug)]
pub(crate) struct StagingPool {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    settings: Staging,
    idle: Vec<Slab>,
    /// Of all pieces that there are, lent ones too.
    bytes: usize,
    /// The driver had no memory: it is not asked again until something changes.
    is_refused: bool,
}

impl Default for StagingPool {
    fn default() -> Self {
        let state = State { settings: Staging::default(), idle: Vec::new(), bytes: 0, is_refused: false };
        Self { state: Mutex::new(state) }
    }
}

impl StagingPool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn settings(&self) -> Staging {
        self.lock().settings
    }

    pub(super) fn set(&self, settings: Staging) {
        let mut state = self.lock();
        state.settings = settings;
        state.is_refused = false;
    }

    pub(super) fn bytes(&self) -> usize {
        self.lock().bytes
    }

    /// Gives back the pieces that no copy uses; the context is bound.
    #[track_caller]
    pub(super) fn trim(&self, driver: &dyn Driver) {
        let idle = {
            let mut state = self.lock();
            state.is_refused = false;
            let idle = take(&mut state.idle);
            state.bytes -= idle.iter().map(|slab| slab.bytes).sum::<usize>();
            idle
        };
        for slab in idle {
            slab.free(driver);
        }
    }
}

impl State {
    /// An idle piece of so many bytes.
    fn take(&mut self, bytes: usize) -> Option<Slab> {
        let place = self.idle.iter().rposition(|slab| slab.bytes == bytes)?;
        Some(self.idle.swap_remove(place))
    }

    /// Whether there may be so many bytes more; then they are counted.
    fn reserve(&mut self, bytes: usize) -> bool {
        let fits = !self.is_refused && bytes <= self.settings.most_bytes().saturating_sub(self.bytes);
        if fits {
            self.bytes += bytes;
        }
        fits
    }
}

/// A piece that a copy uses. Dropped, it is idle again; unless the context is unsettled, so that the device may still be at it:
/// then it is leaked.
pub(crate) struct Piece<'c> {
    context: &'c Inner,
    slab: ManuallyDrop<Slab>,
}

impl Piece<'_> {
    pub(crate) fn start(&self) -> *mut u8 {
        self.slab.start.as_ptr().cast()
    }

    pub(crate) fn len(&self) -> usize {
        self.slab.bytes
    }
}

impl Drop for Piece<'_> {
    fn drop(&mut self) {
        if self.context.is_unsettled() {
            return;
        }
        // SAFETY: taken once, here, where the guard ends.
        let slab = unsafe { ManuallyDrop::take(&mut self.slab) };
        let mut state = self.context.staging_pool().lock();
        if state.settings.uses(slab.bytes) && state.bytes <= state.settings.most_bytes() {
            state.idle.push(slab);
            return;
        }
        // The settings have changed: no copy uses pieces like it any more, or there are more than there should be.
        state.bytes -= slab.bytes;
        drop(state);
        match self.context.bind() {
            Ok(bound) => slab.free(bound.driver()),
            Err(error) => log::debug!("page-locked memory for copies was leaked: {error}"),
        }
    }
}

impl Inner {
    /// How copies are staged.
    pub(crate) fn staging(&self) -> Staging {
        self.staging_pool().settings()
    }

    /// At most so many pieces of `bytes`, as many as there are: perhaps none. As [`piece`](Self::piece).
    #[track_caller]
    pub(crate) fn pieces(&self, most: usize, bytes: usize) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        while pieces.len() < most {
            let Some(piece) = self.piece(bytes) else { break };
            pieces.push(piece);
        }
        pieces
    }

    /// A piece of so many bytes: an idle one, else a new one, if there may be more and the driver gives it. The context is
    /// bound, and captures are relaxed.
    #[track_caller]
    pub(crate) fn piece(&self, bytes: usize) -> Option<Piece<'_>> {
        let mut state = self.staging_pool().lock();
        if !state.settings.uses(bytes) {
            return None;
        }
        match state.take(bytes) {
            Some(slab) => Some(Piece { context: self, slab: ManuallyDrop::new(slab) }),
            None if state.reserve(bytes) => {
                drop(state);
                self.new_piece(bytes)
            }
            None => None,
        }
    }

    /// A new piece, whose bytes are counted already.
    #[track_caller]
    fn new_piece(&self, bytes: usize) -> Option<Piece<'_>> {
        let counted = Counted { staging_pool: self.staging_pool(), bytes };
        match Slab::allocate(self.driver(), bytes) {
            Ok(slab) => {
                forget(counted);
                Some(Piece { context: self, slab: ManuallyDrop::new(slab) })
            }
            Err(error) => {
                drop(counted);
                let is_first = !replace(&mut self.staging_pool().lock().is_refused, true);
                if is_first {
                    log::warn!("copies of pageable memory are slower, without page-locked memory for them: {error}");
                }
                None
            }
        }
    }
}

/// Bytes that are counted, and not there yet: dropped, also in a panic of a logger, they are not counted any more.
struct Counted<'r> {
    staging_pool: &'r StagingPool,
    bytes: usize,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.staging_pool.lock().bytes -= self.bytes;
    }
}
