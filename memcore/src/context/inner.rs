//! What the clones of a context share.

use core::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::allocate::{Allocator, AllocatorKind};
use super::binding::{Bound, Relaxed};
use super::events::IdleEvents;
use super::locked::LockedMemory;
use super::raw_pool::RawPool;
use super::registry;
use super::staging_pool::StagingPool;
use super::statistics::Counts;
use super::streams::StreamSet;
use crate::crew::Crew;
use crate::device::Device;
use crate::driver::ffi::{CUcontext, Handle};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result, Status};

/// A device's primary context, retained, with what memcore keeps in it.
pub(crate) struct Inner {
    device: Device,
    raw: Handle<CUcontext>,
    allocator: Allocator,
    streams: StreamSet,
    crew: Crew,
    staging_pool: StagingPool,
    idle_events: IdleEvents,
    counts: Counts,
    locked: LockedMemory,
    /// Set when a wait failed in a way that leaves open whether the device still works on memory of this context.
    unsettled: AtomicBool,
    drop_errors: Mutex<Vec<Error>>,
}

/// Whether any context was ever marked: where none was, nobody has to look.
static ANY_UNSETTLED: AtomicBool = AtomicBool::new(false);

/// More failed frees than this are not kept (they are still logged): nobody reads so many.
const MOST_DROP_ERRORS: usize = 1024;

impl Inner {
    /// Retains the primary context and makes what memcore needs in it; on an error nothing is left behind.
    pub(super) fn open(device: &Device) -> Result<Self> {
        let raw = retain(device)?;
        let opened = Bound::new(&**device.driver(), raw).and_then(|bound| {
            let _relaxed = Relaxed::new(bound.driver());
            Allocator::new(&bound, device)
        });
        match opened {
            Ok(allocator) => Ok(Self {
                device: device.clone(),
                raw: Handle(raw),
                allocator,
                streams: StreamSet::default(),
                crew: Crew::default(),
                staging_pool: StagingPool::default(),
                idle_events: IdleEvents::default(),
                counts: Counts::default(),
                locked: LockedMemory::default(),
                unsettled: AtomicBool::new(false),
                drop_errors: Mutex::default(),
            }),
            Err(error) => {
                release(device);
                Err(error)
            }
        }
    }

    pub(crate) fn device(&self) -> &Device {
        &self.device
    }

    pub(crate) fn driver(&self) -> &dyn Driver {
        &**self.device.driver()
    }

    pub(crate) fn raw(&self) -> CUcontext {
        self.raw.0
    }

    pub(super) fn allocator(&self) -> &Allocator {
        &self.allocator
    }

    pub(super) fn counts(&self) -> &Counts {
        &self.counts
    }

    pub(super) fn locked(&self) -> &LockedMemory {
        &self.locked
    }

    /// The pool of the context's own.
    pub(super) fn pool(&self) -> Option<RawPool> {
        self.allocator.pool()
    }

    pub(crate) fn streams(&self) -> &StreamSet {
        &self.streams
    }

    /// The threads that work on the context's host memory.
    pub(crate) fn crew(&self) -> &Crew {
        &self.crew
    }

    /// The page-locked memory through which pageable memory is copied.
    pub(super) fn staging_pool(&self) -> &StagingPool {
        &self.staging_pool
    }

    /// The events by which copies in parts are followed.
    pub(super) fn idle_events(&self) -> &IdleEvents {
        &self.idle_events
    }

    pub(crate) fn allocator_kind(&self) -> AllocatorKind {
        self.allocator.kind()
    }

    /// Makes the context current on this thread until the guard is dropped.
    #[inline]
    #[track_caller]
    pub(crate) fn bind(&self) -> Result<Bound<'_>> {
        Bound::new(self.driver(), self.raw.0)
    }

    /// Whether the other's operands can meet this one's in a driver call.
    pub(crate) fn same_driver(&self, other: &Self) -> bool {
        self.device.same_driver(&other.device)
    }

    /// # Errors
    ///
    /// [`Error::DifferentDrivers`] unless they can.
    pub(crate) fn require_same_driver(&self, other: &Self) -> Result<()> {
        self.device.require_same_driver(&other.device)
    }

    /// From now on frees leak: the device may still work on the memory.
    pub(crate) fn mark_unsettled(&self) {
        self.unsettled.store(true, Ordering::Release);
        ANY_UNSETTLED.store(true, Ordering::Release);
    }

    /// Whether some device may still work on host memory of this context: any device may use it.
    pub(crate) fn is_host_unsettled(&self) -> bool {
        ANY_UNSETTLED.load(Ordering::Acquire)
            && registry::open_contexts(|device| self.device.same_driver(device))
                .iter()
                .any(|context| context.is_unsettled())
    }

    pub(crate) fn is_unsettled(&self) -> bool {
        self.unsettled.load(Ordering::Acquire)
    }

    /// Notes a free that failed in a `Drop`, where no caller can be told.
    pub(crate) fn note_drop_error(&self, error: Error) {
        log::error!("memory was leaked, since freeing it failed: {error}");
        let mut errors = self.drop_errors.lock().unwrap_or_else(PoisonError::into_inner);
        if errors.len() < MOST_DROP_ERRORS {
            errors.push(error);
        }
    }

    pub(super) fn take_drop_errors(&self) -> Vec<Error> {
        core::mem::take(&mut *self.drop_errors.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        registry::remove(self);
        let device = self.device.clone();
        if let Ok(bound) = Bound::new(&**device.driver(), self.raw()) {
            let _relaxed = Relaxed::new(bound.driver());
            // What could not be given back is logged.
            let _ = self.trim_kept(0);
            self.streams.destroy(&bound);
            self.staging_pool.trim(bound.driver());
            self.idle_events.destroy(bound.driver());
            self.allocator.destroy(&bound);
        }
        release(&device);
    }
}

fn retain(device: &Device) -> Result<CUcontext> {
    let mut raw: CUcontext = core::ptr::null_mut();
    // SAFETY: `raw` is writable for the length of the call.
    let status = unsafe { device.driver().primary_context_retain(&raw mut raw, device.handle()) };
    check(symbol::primary_context_retain, status)?;
    Ok(raw)
}

fn release(device: &Device) {
    // SAFETY: the context was retained once for the caller, which uses it no more.
    let status = unsafe { device.driver().primary_context_release(device.handle()) };
    if !status.is_success() && status != Status::DEINITIALIZED {
        log::error!("the context of device {} was not released: {status}", device.ordinal());
    }
}
