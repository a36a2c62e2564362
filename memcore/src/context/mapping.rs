//! Pages that memcore maps and registers, and who has them.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::inner::Inner;
use crate::pages;

/// Mapped pages. Dropped, they are leaked: a device may know them.
#[derive(Debug)]
pub(super) struct Mapping {
    /// INVARIANT: `len` bytes, whole pages from `pages::map`, readable and writable, this value's alone; `Some` program has
    /// them where it is among those that are [given out](give_out).
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a mapping is a name for memory that any thread may use; its owner is one thread at a time.
unsafe impl Send for Mapping {}
// SAFETY: a shared reference gives the memory to the threads of `in_parts` alone, each a piece of its own.
unsafe impl Sync for Mapping {}

/// What a thread does at a time, at least: less is done before another thread has begun.
const PART: usize = 4 << 20;

/// The most parts: several for each thread, so that all end at about the same time.
const MOST_PARTS: usize = 32;

impl Mapping {
    /// Fresh pages for `bytes`, which hold zeros, and whether they are huge as far as they can be; `None` where the system
    /// refuses.
    pub(super) fn new(bytes: usize, huge: bool) -> Option<(Self, bool)> {
        let len = pages::whole_pages(bytes as u64);
        let has_huge = len >= pages::HUGE_PAGE;
        let start = pages::map(len, if has_huge { pages::HUGE_PAGE } else { 1 })?;
        let is_huge = !has_huge || huge && pages::prefer_huge(start.as_ptr(), len);
        Some((Self { start, len }, is_huge))
    }

    pub(super) fn start(&self) -> NonNull<c_void> {
        self.start.cast()
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn address(&self) -> usize {
        self.start.addr().get()
    }

    /// Has the system find all pages, which hold zeros until then and after.
    pub(super) fn touch(&self, context: &Inner) {
        let step = pages::page_size() as usize;
        self.in_parts(context, self.len, |start, len| {
            if pages::populate(start.as_ptr().cast(), len) {
                return;
            }
            for offset in (0..len).step_by(step) {
                let byte = start.as_ptr().cast::<u8>().wrapping_add(offset);
                // SAFETY: by the invariant of the mapping the byte is there, and nobody else's.
                unsafe { byte.write_volatile(0) };
            }
        });
    }

    /// Writes zeros to the first `len` bytes.
    pub(super) fn zero(&self, context: &Inner, len: usize) {
        self.in_parts(context, len, |start, len| {
            // SAFETY: by the invariant of the mapping the bytes are there, and nobody else's.
            unsafe { start.cast::<u8>().write_bytes(0, len) };
        });
    }

    /// Has threads do pieces of the first `len` bytes.
    fn in_parts(&self, context: &Inner, len: usize, work: impl Fn(NonNull<c_void>, usize) + Sync) {
        let len = len.min(self.len);
        let parts = (len / PART).clamp(1, MOST_PARTS);
        let each = len.div_ceil(parts).next_multiple_of(pages::HUGE_PAGE);
        let piece = |part: usize| {
            let begin = (part * each).min(len);
            // SAFETY: inside the mapping, or its end.
            work(unsafe { self.start().byte_add(begin) }, each.min(len - begin));
        };
        context.crew().run(context.staging().most_threads(), parts, &piece);
    }

    /// Gives the pages back to the system.
    ///
    /// # Safety
    ///
    /// They are not registered, and nothing uses them any more.
    pub(super) unsafe fn unmap(self) {
        // SAFETY: by the invariant these are whole mapped pages, this value's; this function's contract.
        if !unsafe { pages::unmap(self.start.as_ptr(), self.len) } {
            log::debug!("{} bytes of page-locked memory were leaked: the system did not take them back", self.len);
        }
    }
}

/// The mappings that a program has, by address, with the context that they are registered in: pointer and length are enough
/// for a buffer to be put together again.
static GIVEN_OUT: Mutex<BTreeMap<usize, (Mapping, Weak<Inner>)>> = Mutex::new(BTreeMap::new());

/// Whether there ever was one: where there was none, nobody has to look.
static ANY: AtomicBool = AtomicBool::new(false);

fn given_out() -> MutexGuard<'static, BTreeMap<usize, (Mapping, Weak<Inner>)>> {
    GIVEN_OUT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program has it from now on.
pub(super) fn give_out(mapping: Mapping, context: Weak<Inner>) {
    given_out().insert(mapping.address(), (mapping, context));
    ANY.store(true, Ordering::Release);
}

/// The mapping that starts at an address, if the program has one there: it has it no more.
pub(super) fn take_back(address: usize) -> Option<(Mapping, Weak<Inner>)> {
    if ANY.load(Ordering::Acquire) { given_out().remove(&address) } else { None }
}

/// The context of the mapping that starts at an address.
pub(crate) fn mapping_owner_of(address: u64) -> Option<Arc<Inner>> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    // Upgraded with the lock released: should this be the last share, closing a context frees mappings.
    let context = given_out().get(&(address as usize)).map(|(_, context)| Weak::clone(context));
    context?.upgrade()
}
