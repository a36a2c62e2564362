//! Page-locked memory: from the driver, or, where it is large, from pages that are mapped, touched by several threads and
//! registered, which takes a ninth of the time, and kept when they are freed.

use core::ffi::c_void;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::inner::Inner;
use super::kept::Kept;
use super::mapping::{self, Mapping};
use super::page_locked;
use crate::driver::ffi::{HOST_DEVICE_MAPPED, HOST_PORTABLE, HOST_WRITE_COMBINED};
use crate::driver::{check, symbol};
use crate::error::{Error, Result, Status};
use crate::pages;

/// Memory of at least so many bytes is mapped and registered. The driver takes 0.6 ms for 1 MiB, and this less than half as
/// long; of smaller memory the two calls and the system's are what takes the time, and pages would be wasted.
pub(crate) const MAPPED_FROM: usize = 256 << 10;

/// From here on it is asked first whether the system has the memory: one that has not would end the process when pages are
/// touched, where the driver returns a code.
const ASKED_FROM: usize = 64 << 20;

/// What is kept by default: at most this part of the machine's memory, since others need it too, and at most two of the
/// largest buffers that programs commonly have, of 1 GiB.
const KEPT_PART: u64 = 16;
const MOST_KEPT: u64 = 2 << 30;

/// What new memory is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Whatever it does.
    Any,
    /// Zeros.
    Zeros,
}

/// Why large memory is not mapped but the driver's.
#[derive(Debug)]
enum NotMapped {
    Mapping,
    Registration(Error),
}

/// A context's page-locked memory.
#[derive(Debug)]
pub(super) struct LockedMemory {
    kept: Mutex<Kept<Mapping>>,
    /// Whether the system has huge pages.
    has_huge: bool,
    /// Whether registering is refused for good.
    is_refused: AtomicBool,
    has_warned: AtomicBool,
    pub(super) mapped: AtomicU64,
    pub(super) without_huge_pages: AtomicU64,
    pub(super) reused: AtomicU64,
    pub(super) refused: AtomicU64,
}

impl Default for LockedMemory {
    fn default() -> Self {
        let limit = (pages::physical_memory() / KEPT_PART).min(MOST_KEPT);
        Self {
            kept: Mutex::new(Kept::new(limit as usize)),
            has_huge: pages::has_huge(),
            is_refused: AtomicBool::new(false),
            has_warned: AtomicBool::new(false),
            mapped: AtomicU64::new(0),
            without_huge_pages: AtomicU64::new(0),
            reused: AtomicU64::new(0),
            refused: AtomicU64::new(0),
        }
    }
}

impl LockedMemory {
    pub(super) fn kept(&self) -> MutexGuard<'_, Kept<Mapping>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says once why memory is not as fast to get as it could be.
    fn warn(&self, why: core::fmt::Arguments<'_>) {
        if !self.has_warned.swap(true, Ordering::Relaxed) {
            log::warn!("large page-locked memory takes longer to allocate: {why}");
        }
    }
}

impl Inner {
    /// Allocates `bytes`, more than 0, with the driver's flags. The context is bound, and captures are relaxed.
    ///
    /// Calls: `cuMemHostAlloc`; of large memory that is not write-combined `cuMemHostRegister_v2`, or none where pages of
    /// that size are kept. When memory runs out, what the driver's contexts keep is given back
    /// (`cuMemHostUnregister`, which may wait for device work), and the allocation tried once more.
    ///
    /// # Errors
    ///
    /// The driver's code, of `cuMemHostAlloc`; [`Error::Unsupported`] where it gives no address.
    #[track_caller]
    pub(crate) fn allocate_locked(
        self: &Arc<Self>,
        bytes: usize,
        flags: u32,
        contents: Contents,
    ) -> Result<NonNull<c_void>> {
        if bytes >= MAPPED_FROM
            && flags & HOST_WRITE_COMBINED == 0
            && let Some(pointer) = self.allocate_mapped(bytes, contents)
        {
            return Ok(pointer);
        }
        let mut allocated = self.allocate_by_driver(bytes, flags);
        if matches!(&allocated, Err(error) if error.is_out_of_memory()) && self.give_back_kept() {
            allocated = self.allocate_by_driver(bytes, flags);
        }
        let pointer = allocated?;
        if contents == Contents::Zeros {
            // SAFETY: the new memory has as many bytes.
            unsafe { pointer.cast::<u8>().write_bytes(0, bytes) };
        }
        Ok(pointer)
    }

    /// Allocates `bytes` by `cuMemHostAlloc`. The context is bound, and captures are relaxed.
    #[track_caller]
    pub(super) fn allocate_by_driver(&self, bytes: usize, flags: u32) -> Result<NonNull<c_void>> {
        let mut pointer = ptr::null_mut();
        // SAFETY: `pointer` is writable for the length of the call.
        let status = unsafe { self.driver().mem_host_alloc(&raw mut pointer, bytes, flags) };
        check(symbol::mem_host_alloc, status)?;
        NonNull::new(pointer).ok_or(Error::Unsupported { what: "page-locked memory" })
    }

    /// Kept pages, or else fresh ones; `None` where the driver is to allocate.
    #[track_caller]
    fn allocate_mapped(self: &Arc<Self>, bytes: usize, contents: Contents) -> Option<NonNull<c_void>> {
        let locked = self.locked();
        let len = Mapping::len_for(bytes, self.has_huge_pages());
        let kept = locked.kept().take(len);
        let is_fresh = kept.is_none();
        let mut mapping = match kept {
            Some(mapping) => mapping,
            None => match self.map(len) {
                Ok(mapping) => mapping,
                Err(refused) => {
                    locked.refused.fetch_add(1, Ordering::Relaxed);
                    match refused {
                        NotMapped::Mapping => locked.warn(format_args!("the system maps no {bytes} bytes")),
                        NotMapped::Registration(error) => locked.warn(format_args!("{error}")),
                    }
                    return None;
                }
            },
        };
        let count = if is_fresh { &locked.mapped } else { &locked.reused };
        count.fetch_add(1, Ordering::Relaxed);
        let pointer = mapping.start();
        let zeros = contents == Contents::Zeros;
        // SAFETY: fresh or kept pages, registered, which nobody has; `release` unregisters before it unmaps.
        unsafe { self.driver().note_host_allocation(mapping.address() as u64, bytes, zeros) };
        if zeros && !is_fresh {
            mapping.zero(self, bytes);
        }
        mapping::insert_owned(mapping, Arc::downgrade(self));
        Some(pointer)
    }

    fn has_huge_pages(&self) -> bool {
        self.locked().has_huge && !self.driver().refuses_huge_pages()
    }

    /// `len` bytes of fresh pages, registered; when what is kept leaves no room for them, that is given back.
    #[track_caller]
    fn map(&self, len: usize) -> Result<Mapping, NotMapped> {
        if self.locked().is_refused.load(Ordering::Relaxed) {
            let status = Status::NOT_SUPPORTED;
            return Err(NotMapped::Registration(Error::Driver { operation: symbol::mem_host_register, status }));
        }
        match self.try_map(len) {
            Err(NotMapped::Registration(error)) if !error.is_out_of_memory() => Err(NotMapped::Registration(error)),
            Err(refused) => {
                if self.give_back_kept() {
                    self.try_map(len)
                } else {
                    Err(refused)
                }
            }
            mapped => mapped,
        }
    }

    #[track_caller]
    fn try_map(&self, len: usize) -> Result<Mapping, NotMapped> {
        let (driver, locked) = (self.driver(), self.locked());
        if driver.refuses_pages() || len >= ASKED_FROM && len as u64 > pages::available_memory() {
            return Err(NotMapped::Mapping);
        }
        let (mut mapping, is_huge) = Mapping::new(len, self.has_huge_pages()).ok_or(NotMapped::Mapping)?;
        if !mapping.touch(self) {
            // SAFETY: not registered, and nobody has had their address.
            unsafe { mapping.unmap() };
            return Err(NotMapped::Mapping);
        }
        // Both flags, whatever is asked for: where addresses are unified all memory has them, and so any can be used again.
        let flags = HOST_PORTABLE | HOST_DEVICE_MAPPED;
        // SAFETY: the pages are mapped, and stay so until `release` has unregistered them, or for ever.
        let status = unsafe { driver.mem_host_register(mapping.start().as_ptr(), mapping.len(), flags) };
        let Err(error) = check(symbol::mem_host_register, status) else {
            if !is_huge {
                locked.without_huge_pages.fetch_add(1, Ordering::Relaxed);
                locked.warn(format_args!("the system has no huge pages"));
            }
            return Ok(mapping);
        };
        if matches!(status, Status::NOT_SUPPORTED | Status::MISSING_SYMBOL) {
            locked.is_refused.store(true, Ordering::Relaxed);
        }
        // SAFETY: not registered, and nobody has had their address.
        unsafe { mapping.unmap() };
        Err(NotMapped::Registration(error))
    }

    /// Frees page-locked memory: large memory is kept for later as far as there is room. The context is bound, and captures
    /// are relaxed.
    ///
    /// Calls: `cuMemFreeHost`; for pages of memcore's `cuStreamQuery`, and `cuMemHostUnregister` for those that are not kept.
    ///
    /// # Errors
    ///
    /// The driver's code, `INVALID_VALUE` where no page-locked memory starts at the address; for pages of memcore's also
    /// [`Error::Unsettled`]. Nothing is freed then.
    ///
    /// # Safety
    ///
    /// Nothing uses the memory any more, and whoever had it gives it up.
    #[track_caller]
    pub(crate) unsafe fn free_locked(&self, pointer: *mut c_void) -> Result<()> {
        self.staging_pool().ask_again();
        let Some((mapping, owner)) = mapping::remove_owned(pointer.addr()) else {
            // SAFETY: this function's contract; a wrong address is answered with a code.
            return check(symbol::mem_free_host, unsafe { self.driver().mem_free_host(pointer) });
        };
        if self.is_host_unsettled() {
            mapping::insert_owned(mapping, owner);
            return Err(Error::Unsettled);
        }
        page_locked::unlist(pointer);
        if ptr::eq(owner.as_ptr(), self) && self.locked().kept().has_room_for(mapping.len()) && self.is_well() {
            // SAFETY: this function's contract; what is kept is given out again, or released, and else touched by nobody.
            unsafe { self.driver().note_host_free(mapping.address() as u64) };
            let too_many = {
                let mut kept = self.locked().kept();
                kept.put(mapping.len(), mapping)
            };
            for oldest in too_many {
                // SAFETY: what was kept has been given up, and nothing uses it.
                if let Err((error, _leaked)) = unsafe { self.release(oldest) } {
                    self.note_drop_error(error);
                }
            }
            return Ok(());
        }
        // SAFETY: this function's contract.
        match unsafe { self.release(mapping) } {
            Ok(()) => Ok(()),
            Err((error, mapping)) => {
                mapping::insert_owned(mapping, owner);
                Err(error)
            }
        }
    }

    /// Whether work in the context can still be waited for: of one that has died nobody knows what its device still does, so
    /// that memory of it is not used again.
    #[track_caller]
    fn is_well(&self) -> bool {
        // SAFETY: the context's own stream is alive, and its context is bound.
        let status = unsafe { self.driver().stream_query(self.allocator().stream().handle()) };
        matches!(status, Status::SUCCESS | Status::NOT_READY)
    }
}
