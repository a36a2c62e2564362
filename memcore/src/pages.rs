//! Pages from the operating system.

use core::ptr::{self, NonNull};
use std::io;

/// Bytes of a huge page, and where one can start.
pub(crate) const HUGE_PAGE: usize = 2 << 20;

/// Bytes of a page.
pub(crate) fn page_size() -> u64 {
    // SAFETY: `sysconf` only reads its argument.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    u64::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(4096)
}

/// Bytes of the pages that `size` bytes take.
pub(crate) fn whole_pages(size: u64) -> usize {
    size.checked_next_multiple_of(page_size()).and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(usize::MAX)
}

/// Bytes of the machine's memory, or no bound where the system does not say.
pub(crate) fn physical_memory() -> u64 {
    // SAFETY: `sysconf` only reads its argument.
    let pages = unsafe { libc::sysconf(libc::_SC_PHYS_PAGES) };
    u64::try_from(pages).map_or(u64::MAX, |pages| pages.saturating_mul(page_size()))
}

/// Bytes that can be used without taking memory from other programs, or no bound where the system does not say.
pub(crate) fn available_memory() -> u64 {
    let Ok(text) = std::fs::read_to_string("/proc/meminfo") else { return u64::MAX };
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"));
    let kilobytes = line.and_then(|rest| rest.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.map_or(u64::MAX, |kilobytes| kilobytes.saturating_mul(1024))
}

/// Whether the system has huge pages for those who ask; it has where it does not say.
pub(crate) fn has_huge() -> bool {
    let setting = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    !setting.is_ok_and(|setting| setting.contains("[never]"))
}

/// Maps `len` fresh bytes of zeros, whole pages, which start at a multiple of `align`, a power of two; `None` where the
/// system refuses.
pub(crate) fn map(len: usize, align: usize) -> Option<NonNull<u8>> {
    let slack = if align as u64 > page_size() { align } else { 0 };
    let (total, flags) = (len.checked_add(slack)?, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: an anonymous mapping at an address of the system's choosing touches no existing memory.
    let start = unsafe { libc::mmap(ptr::null_mut(), total, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let start = start.cast::<u8>();
    let before = if slack == 0 { 0 } else { start.align_offset(align) };
    let pointer = start.wrapping_add(before);
    for (rest, bytes) in [(start, before), (pointer.wrapping_add(len), slack - before)] {
        if bytes > 0 {
            // SAFETY: pages of the new mapping, before and after those that are given out.
            let _ = unsafe { unmap(rest, bytes) };
        }
    }
    let _exposed = pointer.expose_provenance();
    NonNull::new(pointer)
}

/// Gives mapped pages back; false where the system refuses.
///
/// # Safety
///
/// The `len` bytes at `pointer` are whole pages that were mapped for the caller, and nothing uses them any more.
pub(crate) unsafe fn unmap(pointer: *mut u8, len: usize) -> bool {
    // SAFETY: this function's contract is `munmap`'s condition.
    unsafe { libc::munmap(pointer.cast(), len) == 0 }
}

/// Asks for huge pages in the place of the small ones that lie between two multiples of their size and have not been
/// touched; false where the system refuses. What the memory holds stays as it is.
pub(crate) fn prefer_huge(pointer: *mut u8, len: usize) -> bool {
    let before = pointer.align_offset(HUGE_PAGE);
    let whole = len.saturating_sub(before) / HUGE_PAGE * HUGE_PAGE;
    // SAFETY: this advice changes how the system finds room for pages, and nothing that a program sees of them; the system
    // refuses addresses that are not mapped.
    whole == 0 || unsafe { libc::madvise(pointer.wrapping_add(before).cast(), whole, libc::MADV_HUGEPAGE) == 0 }
}

/// What became of [`populate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Populated {
    All,
    /// The system does not know how.
    Unknown,
    /// The system has no memory left, or none is mapped there.
    NoMemory,
}

/// Has the system find the pages that lie between two multiples of a page, as writes to them would. What the memory holds
/// stays as it is.
pub(crate) fn populate(pointer: *mut u8, len: usize) -> Populated {
    let page = page_size() as usize;
    let before = pointer.align_offset(page);
    let whole = len.saturating_sub(before) / page * page;
    if whole == 0 {
        return Populated::All;
    }
    let start = pointer.wrapping_add(before).cast();
    // SAFETY: this reads and writes nothing that a program sees; the system refuses addresses that are not mapped.
    if unsafe { libc::madvise(start, whole, libc::MADV_POPULATE_WRITE) } == 0 {
        return Populated::All;
    }
    match io::Error::last_os_error().raw_os_error() {
        Some(libc::EINVAL | libc::ENOSYS) => Populated::Unknown,
        _ => Populated::NoMemory,
    }
}

/// Keeps whole pages out of processes that this one forks: where both have them, a write moves this one's pages away from
/// those that a device knows. A refusal changes nothing else.
pub(crate) fn keep_from_children(pointer: *mut u8, len: usize) {
    // SAFETY: this changes nothing in this process; the system refuses addresses that are not mapped.
    let _ = unsafe { libc::madvise(pointer.cast(), len, libc::MADV_DONTFORK) };
}

#[cfg(test)]
mod tests {
    use super::{
        HUGE_PAGE, Populated, available_memory, map, page_size, physical_memory, populate, prefer_huge, unmap,
        whole_pages,
    };

    #[test]
    fn mappings_are_aligned_and_zero_and_can_be_given_back() {
        for (len, align) in [(1, 1), (1, HUGE_PAGE), (HUGE_PAGE + 1, HUGE_PAGE), (3 * HUGE_PAGE, HUGE_PAGE)] {
            let len = whole_pages(len as u64);
            let pointer = map(len, align).unwrap();
            assert_eq!(pointer.addr().get() % align.max(page_size() as usize), 0);
            for at in [0, len / 2, len - 1] {
                let byte = pointer.as_ptr().wrapping_add(at);
                // SAFETY: inside the mapping, which nothing else uses.
                assert_eq!(unsafe { byte.replace(7) }, 0);
            }
            assert!(unsafe_unmap(pointer.as_ptr(), len));
        }
        assert_eq!(map(1 << 60, 1), None);
        assert_eq!(map(usize::MAX, HUGE_PAGE), None);
    }

    fn unsafe_unmap(pointer: *mut u8, len: usize) -> bool {
        // SAFETY: the test's own mapping.
        unsafe { unmap(pointer, len) }
    }

    #[test]
    fn advice_keeps_what_is_there_and_is_refused_where_nothing_is() {
        let mut bytes = vec![7_u8; 3 * HUGE_PAGE];
        prefer_huge(bytes.as_mut_ptr(), bytes.len());
        populate(bytes.as_mut_ptr().wrapping_add(1), bytes.len() - 1);
        assert!(bytes.iter().all(|byte| *byte == 7));
        assert_eq!(populate(bytes.as_mut_ptr(), 0), Populated::All);
        assert_ne!(populate(core::ptr::without_provenance_mut(1 << 62), HUGE_PAGE), Populated::All);
        // No whole huge page is in it.
        assert!(prefer_huge(bytes.as_mut_ptr(), HUGE_PAGE - 1));
        assert!(!prefer_huge(core::ptr::without_provenance_mut(1 << 62), HUGE_PAGE));
    }

    #[test]
    fn memory_is_counted() {
        assert!(available_memory() > 1 << 20 && physical_memory() > 1 << 20);
    }
}
