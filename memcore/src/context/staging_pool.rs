//! The page-locked memory through which a context copies pageable memory.

use core::ffi::c_void;
use core::mem::{ManuallyDrop, forget, replace, take};
use core::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::inner::Inner;
use super::staging::Staging;
use crate::driver::Driver;
use crate::driver::ffi::{HOST_DEVICE_MAPPED, HOST_PORTABLE};
use crate::error::Result;

/// Bytes of a piece for small copies.
pub(crate) const SMALL: usize = 128 << 10;

/// A piece of page-locked memory.
#[derive(Debug)]
struct Slab {
    /// INVARIANT: from `mem_host_alloc`, as long as its size says, this slab's alone.
    start: NonNull<c_void>,
    size: Size,
}

/// For which copies a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// [`SMALL`] bytes.
    Small,
    /// As many bytes.
    Large(usize),
}

impl Size {
    fn bytes(self) -> usize {
        match self {
            Self::Small => SMALL,
            Self::Large(bytes) => bytes,
        }
    }

    /// The bytes of a small one.
    fn if_small(self) -> usize {
        if self == Self::Small { SMALL } else { 0 }
    }
}

// SAFETY: the memory is the slab's alone, and the driver frees on any thread.
unsafe impl Send for Slab {}

// SAFETY: a shared reference gives the address alone.
unsafe impl Sync for Slab {}

impl Slab {
    /// With the context bound.
    #[track_caller]
    fn allocate(context: &Inner, size: Size) -> Result<Self> {
        let flags = HOST_PORTABLE | HOST_DEVICE_MAPPED;
        let mut allocated = context.allocate_by_driver(size.bytes(), flags);
        if matches!(&allocated, Err(error) if error.is_out_of_memory()) && context.give_back_kept() {
            allocated = context.allocate_by_driver(size.bytes(), flags);
        }
        let start = allocated?;
        context.driver().keep(start.addr().get() as u64);
        Ok(Self { start, size })
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
    /// Of these, the bytes of pieces for small copies: large ones leave room for them, and they for large ones.
    small_bytes: usize,
    /// The driver had no memory: it is not asked again until something changes.
    is_refused: bool,
}

impl Default for StagingPool {
    fn default() -> Self {
        let state =
            State { settings: Staging::default(), idle: Vec::new(), bytes: 0, small_bytes: 0, is_refused: false };
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

    /// There may be page-locked memory again: the driver is asked the next time.
    pub(super) fn ask_again(&self) {
        self.lock().is_refused = false;
    }

    /// Gives back the pieces that no copy uses, and says whether there were any; the context is bound.
    #[track_caller]
    pub(super) fn trim(&self, driver: &dyn Driver) -> bool {
        let idle = {
            let mut state = self.lock();
            state.is_refused = false;
            let idle = take(&mut state.idle);
            for slab in &idle {
                state.uncount(slab.size);
            }
            idle
        };
        let were_any = !idle.is_empty();
        for slab in idle {
            slab.free(driver);
        }
        were_any
    }
}

impl State {
    /// An idle piece.
    fn take(&mut self, size: Size) -> Option<Slab> {
        let place = self.idle.iter().rposition(|slab| slab.size == size)?;
        Some(self.idle.swap_remove(place))
    }

    /// Whether there may be one more piece; then it is counted.
    fn reserve(&mut self, size: Size) -> bool {
        let (most, for_small) = (self.settings.most_bytes(), self.settings.bytes_for_small());
        let (held, limit) = match size {
            Size::Small => (self.small_bytes, for_small),
            Size::Large(_) => (self.bytes - self.small_bytes, most - for_small),
        };
        let is_within = |held: usize, limit: usize| size.bytes() <= limit.saturating_sub(held);
        let fits = !self.is_refused && is_within(held, limit) && is_within(self.bytes, most);
        if fits {
            self.bytes += size.bytes();
            self.small_bytes += size.if_small();
        }
        fits
    }

    /// There is one piece less.
    fn uncount(&mut self, size: Size) {
        self.bytes -= size.bytes();
        self.small_bytes -= size.if_small();
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
        self.slab.size.bytes()
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
        if state.settings.uses(slab.size) && state.bytes <= state.settings.most_bytes() {
            state.idle.push(slab);
            return;
        }
        // The settings have changed: no copy uses pieces like it any more, or there are more than there should be.
        state.uncount(slab.size);
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

    /// At most so many pieces, as many as there are: perhaps none. As [`piece`](Self::piece).
    #[track_caller]
    pub(crate) fn pieces(&self, most: usize, size: Size) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        while pieces.len() < most {
            let Some(piece) = self.piece(size) else { break };
            pieces.push(piece);
        }
        pieces
    }

    /// A piece: an idle one, else a new one, if there may be more and the driver gives it. The context is
    /// bound, and captures are relaxed.
    #[track_caller]
    pub(crate) fn piece(&self, size: Size) -> Option<Piece<'_>> {
        let mut state = self.staging_pool().lock();
        if !state.settings.uses(size) {
            return None;
        }
        match state.take(size) {
            Some(slab) => Some(Piece { context: self, slab: ManuallyDrop::new(slab) }),
            None if state.reserve(size) => {
                drop(state);
                self.new_piece(size)
            }
            None => None,
        }
    }

    /// A new piece, whose bytes are counted already.
    #[track_caller]
    fn new_piece(&self, size: Size) -> Option<Piece<'_>> {
        let counted = Counted { staging_pool: self.staging_pool(), size };
        match Slab::allocate(self, size) {
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

/// A piece that is counted, and not there yet: dropped, also in a panic of a logger, it is not counted any more.
struct Counted<'p> {
    staging_pool: &'p StagingPool,
    size: Size,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.staging_pool.lock().uncount(self.size);
    }
}
