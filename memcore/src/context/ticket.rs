//! Proof of completion that does not depend on a wait: a number that the stream writes behind the work.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::driver::ffi::{CUdeviceptr, CUstream};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result, Status};
use crate::spin::appears_within;

/// `CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP`.
const PORTABLE_AND_MAPPED: u32 = 1 | 2;

/// A number that a stream will have written when the work before it is done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket<'t> {
    word: &'t AtomicU32,
    number: u32,
}

impl Ticket<'_> {
    /// Whether the work before it is done. Numbers rise, and wrap.
    pub(crate) fn has_arrived(self) -> bool {
        self.word.load(Ordering::Acquire).wrapping_sub(self.number) < u32::MAX / 2
    }

    /// Watches until the work before it is done, for so long. A short wait costs less so than by a call of the driver.
    pub(crate) fn arrives_within(self, patience: Duration) -> bool {
        appears_within(patience, || self.has_arrived())
    }
}

/// The tickets of one stream: a page-locked word, made before the first is drawn.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    drawn: Mutex<Option<Word>>,
}

#[derive(Debug)]
struct Word {
    /// INVARIANT: a live page-locked word, initialised, zero at first, written by the device and never by the host.
    host: NonNull<AtomicU32>,
    device: CUdeviceptr,
    last: u32,
    /// Whether the last one's call failed, so that nobody knows whether it will arrive.
    has_failed: bool,
}

// SAFETY: the word is only read, atomically, through `&AtomicU32`, which is `Sync`.
unsafe impl Send for Word {}

impl Tickets {
    /// Makes the word, with the context bound, before there is work that needs a ticket.
    ///
    /// # Errors
    ///
    /// The driver's code where it is the context that failed, so that nothing is queued in it. That there is no memory
    /// for a word, or no call for it, is no error: then there are no tickets.
    #[track_caller]
    pub(crate) fn prepare(&self, driver: &dyn Driver) -> Result<()> {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if drawn.is_some() {
            return Ok(());
        }
        match Word::allocate(driver) {
            Ok(word) => *drawn = Some(word),
            Err(error @ Error::Driver { status, .. })
                if status != Status::NOT_SUPPORTED && !error.is_out_of_memory() =>
            {
                return Err(error);
            }
            Err(_) => {}
        }
        Ok(())
    }

    /// Queues a ticket on `stream`, whose context is bound, after everything queued before; `None` where that fails.
    /// One mutex keeps the numbers in the stream's order.
    #[track_caller]
    pub(crate) fn draw<'t>(&'t self, driver: &dyn Driver, stream: CUstream) -> Option<Ticket<'t>> {
        let mut drawn = self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        let word = drawn.as_mut()?;
        // Used up also where the call fails: an error does not prove that nothing was queued, and a number that arrives
        // twice would prove what is not so.
        word.last = word.last.wrapping_add(1);
        let number = word.last;
        // SAFETY: `device` is the mapped address of the live page-locked word, and the stream's context is bound.
        let status = unsafe { driver.stream_write_value_32(stream, word.device, number, 0) };
        if !status.is_success() {
            word.has_failed = true;
            return None;
        }
        word.has_failed = false;
        // SAFETY: by the invariant the word is live; it is freed by `free` alone, which takes `&mut self`.
        let word = unsafe { word.host.as_ref() };
        Some(Ticket { word, number })
    }

    /// Frees the word, unless a ticket is still pending, or may be: then it leaks.
    pub(crate) fn free(&mut self, driver: &dyn Driver) {
        let drawn = self.drawn.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(word) = drawn.take_if(|word| word.last_has_arrived()) {
            // SAFETY: the word came from `mem_host_alloc`, no ticket borrows it (`&mut self`), and the last write is
            // done.
            let status = unsafe { driver.mem_free_host(word.host.as_ptr().cast()) };
            if !status.is_success() {
                log::debug!("a ticket's word was leaked: {status}");
            }
        }
    }
}

impl Word {
    fn last_has_arrived(&self) -> bool {
        if self.has_failed {
            return false;
        }
        // SAFETY: by the invariant the word is live.
        let word = unsafe { self.host.as_ref() };
        Ticket { word, number: self.last }.has_arrived()
    }

    #[track_caller]
    fn allocate(driver: &dyn Driver) -> Result<Self> {
        let mut host: *mut c_void = core::ptr::null_mut();
        // SAFETY: `host` is writable for the length of the call.
        let status = unsafe { driver.mem_host_alloc(&raw mut host, size_of::<AtomicU32>(), PORTABLE_AND_MAPPED) };
        check(symbol::mem_host_alloc, status)?;
        let mut device: CUdeviceptr = 0;
        // SAFETY: `device` is writable for the length of the call and `host` is mapped page-locked memory.
        let status = unsafe { driver.mem_host_device_pointer(&raw mut device, host, 0) };
        let mapped = check(symbol::mem_host_device_pointer, status);
        match (NonNull::new(host.cast::<AtomicU32>()), mapped) {
            (Some(word), Ok(())) => {
                // SAFETY: the driver returned at least four writable bytes, page-aligned, which nothing else uses.
                unsafe { word.write(AtomicU32::new(0)) };
                driver.keep(word.addr().get() as u64);
                Ok(Self { host: word, device, last: 0, has_failed: false })
            }
            (_, mapped) => {
                // SAFETY: `host` came from `mem_host_alloc` and nothing uses it.
                let _ = unsafe { driver.mem_free_host(host) };
                mapped.and(Err(Error::Unsupported { what: "page-locked memory" }))
            }
        }
    }
}
