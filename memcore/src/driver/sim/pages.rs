//! Pages from the operating system: reserved address ranges, page-locked memory, large backings.

use core::ffi::c_void;
use core::ptr::{self, NonNull};

/// What a new mapping allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Nothing: the addresses are reserved and fault when touched.
    None,
    /// Reading and writing; a page is committed when it is first touched.
    ReadWrite,
}

impl Access {
    const fn bits(self) -> i32 {
        match self {
            Self::None => libc::PROT_NONE,
            Self::ReadWrite => libc::PROT_READ | libc::PROT_WRITE,
        }
    }
}

/// Bytes of a page.
pub(super) fn page_size() -> u64 {
    // SAFETY: `sysconf` only reads its argument.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(4096)
}

/// Bytes of the pages that `size` bytes take.
pub(super) fn whole_pages(size: u64) -> usize {
    size.checked_next_multiple_of(page_size()).and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
}

/// Bytes of the machine's memory, or no bound where the system does not say.
pub(super) fn physical_memory() -> u64 {
    // SAFETY: `sysconf` only reads its argument.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    u64::try_from(pages).map_or(u64::MAX, |pages| pages.saturating_mul(page_size()))
}

/// Maps `len` fresh bytes, a multiple of the page size; `None` where the system refuses.
///
/// The memory reads as zeros, and its provenance is exposed: the checked program holds its address as an integer.
pub(super) fn map(len: usize, access: Access) -> Option<NonNull<u8>> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: an anonymous mapping at an address of the system's choosing touches no existing memory.
    let pointer = unsafe { libc::mmap(ptr::null_mut(), len, access.bits(), flags, -1, 0) };
    if pointer == libc::MAP_FAILED {
        return None;
    }
    let _exposed = pointer.expose_provenance();
    NonNull::new(pointer.cast())
}

/// Gives a mapping back.
///
/// # Safety
///
/// The `len` bytes at `pointer` are whole pages that [`map`] gave, and nothing uses them any more.
pub(super) unsafe fn unmap(pointer: *mut u8, len: usize) {
    // SAFETY: this function's contract is `munmap`'s condition.
    let code = unsafe { libc::munmap(pointer.cast(), len) };
    if code != 0 {
        log::warn!("simulated device: {len} bytes at {pointer:?} could not be unmapped");
    }
}

/// Makes reserved pages readable and writable; false where the system refuses.
///
/// # Safety
///
/// The `len` bytes at `address` are whole pages of a range that [`map`] reserved, and no memory is in use there.
pub(super) unsafe fn open(address: u64, len: usize) -> bool {
    let pointer: *mut c_void = ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: by this function's contract only unused pages of a reserved range change.
    unsafe { libc::mprotect(pointer, len, Access::ReadWrite.bits()) == 0 }
}

/// Makes opened pages reserved ones again: their contents are gone and touching them faults.
///
/// # Safety
///
/// As for [`open`]; nothing uses the memory any more.
pub(super) unsafe fn close(address: u64, len: usize) {
    let pointer: *mut c_void = ptr::with_exposed_provenance_mut(address as usize);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE | libc::MAP_FIXED;
    // SAFETY: by this function's contract the new mapping replaces only unused pages of a reserved range.
    let mapped = unsafe { libc::mmap(pointer, len, Access::None.bits(), flags, -1, 0) };
    if mapped == libc::MAP_FAILED {
        log::warn!("simulated device: {len} bytes at {address:#x} could not be closed");
    }
}
