//! Pages that memcore maps and registers, and who has them.

use core::ffi::c_void;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::inner::Inner;
use crate::pages::{self, Populated};

/// Mapped pages. Dropped, they are leaked: a device may know them.
#[derive(Debug)]
pub(super) struct Mapping {
    /// INVARIANT: `len` bytes, whole pages from `pages::map`, readable and writable, this value's alone; a program uses them
    /// while the mapping is in [`OWNED`], and else nobody does.
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: a mapping is a name for memory that any thread may use; its owner is one thread at a time.
unsafe impl Send for Mapping {}

impl Mapping {
    /// How many bytes are mapped for so many: whole pages. A last huge page that is at least half full is whole as well, since
    /// the small ones of its half take longer.
    pub(super) fn len_for(bytes: usize, huge: bool) -> usize {
        let len = pages::whole_pages(bytes as u64);
        if huge && len % pages::HUGE_PAGE >= pages::HUGE_PAGE / 2 {
            len.checked_next_multiple_of(pages::HUGE_PAGE).unwrap_or(usize::MAX)
        } else {
            len
        }
    }

    /// `len` bytes of fresh pages, which hold zeros, and whether they are huge as far as they can be; `None` where the system
    /// refuses.
    pub(super) fn new(len: usize, huge: bool) -> Option<(Self, bool)> {
        let has_huge = len >= pages::HUGE_PAGE;
        let start = pages::map(len, if has_huge { pages::HUGE_PAGE } else { 1 })?;
        let is_huge = !has_huge || huge && pages::prefer_huge(start.as_ptr(), len);
        pages::keep_from_children(start.as_ptr(), len);
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

    /// Has the system find all pages, which hold zeros until then and after; false where it has none left.
    pub(super) fn touch(&mut self, context: &Inner) -> bool {
        match context.populate_in_parts(self.start.as_ptr(), self.len) {
            Populated::All => return true,
            Populated::NoMemory => return false,
            Populated::Unknown => {}
        }
        let step = pages::page_size() as usize;
        context.in_parts(self.start.as_ptr(), self.len, |start, len| {
            for offset in (0..len).step_by(step) {
                let byte = start.wrapping_add(offset);
                // SAFETY: by the invariant the byte is there, and nobody else's: the mapping is lent to this function, and so
                // not in the table; of the threads one writes here.
                unsafe { byte.write_volatile(0) };
            }
        });
        true
    }

    /// Writes zeros to the first `len` bytes.
    pub(super) fn zero(&mut self, context: &Inner, len: usize) {
        context.in_parts(self.start.as_ptr(), len.min(self.len), |start, len| {
            // SAFETY: by the invariant the bytes are there, and nobody else's: the mapping is lent to this function, and so
            // not in the table; of the threads one writes here.
            unsafe { start.write_bytes(0, len) };
        });
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
static OWNED: Mutex<BTreeMap<usize, (Mapping, Weak<Inner>)>> = Mutex::new(BTreeMap::new());

/// Whether there ever was one: where there was none, nobody has to look.
static ANY: AtomicBool = AtomicBool::new(false);

fn owned() -> MutexGuard<'static, BTreeMap<usize, (Mapping, Weak<Inner>)>> {
    OWNED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The program has it from now on.
pub(super) fn insert_owned(mapping: Mapping, context: Weak<Inner>) {
    owned().insert(mapping.address(), (mapping, context));
    ANY.store(true, Ordering::Release);
}

/// The mapping that starts at an address, if the program has one there: it has it no more.
pub(super) fn remove_owned(address: usize) -> Option<(Mapping, Weak<Inner>)> {
    if ANY.load(Ordering::Acquire) { owned().remove(&address) } else { None }
}

/// The context of the mapping that starts at an address.
pub(crate) fn mapping_owner_of(address: u64) -> Option<Arc<Inner>> {
    if !ANY.load(Ordering::Acquire) {
        return None;
    }
    // Upgraded with the lock released: should this be the last share, closing a context frees mappings.
    let context = owned().get(&(address as usize)).map(|(_, context)| Weak::clone(context));
    context?.upgrade()
}

#[cfg(test)]
mod tests {
    use super::Mapping;
    use crate::pages::HUGE_PAGE;

    #[test]
    fn a_huge_page_that_is_half_full_is_whole() {
        let (page, half) = (crate::pages::page_size() as usize, HUGE_PAGE / 2);
        for (bytes, small, huge) in [
            (1, page, page),
            (half - page, half - page, half - page),
            (half - page + 1, half, HUGE_PAGE),
            (half, half, HUGE_PAGE),
            (HUGE_PAGE - 1, HUGE_PAGE, HUGE_PAGE),
            (HUGE_PAGE + 1, HUGE_PAGE + page, HUGE_PAGE + page),
            (3 * HUGE_PAGE + half, 3 * HUGE_PAGE + half, 4 * HUGE_PAGE),
            (usize::MAX, usize::MAX, usize::MAX),
        ] {
            assert_eq!([false, true].map(|is_huge| Mapping::len_for(bytes, is_huge)), [small, huge], "{bytes}");
        }
    }
}
