//! Pages from the operating system: reserved address ranges, page-locked memory, large backings.

use core::ffi::c_void;
use core::mem::MaybeUninit;
use core::ops::Range;
use core::ptr::{self, NonNull};

use crate::pages::{Populated, populate};
pub(super) use crate::pages::{page_size, physical_memory, whole_pages};

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

/// What looking at memory found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Peek {
    /// It was read.
    Read,
    /// It is not mapped any more.
    Gone,
    /// The system does not let a process look.
    Unknown,
}

/// Reads memory of this process that may be gone, or another thread's to write: the system does it, and refuses.
pub(super) fn peek(address: u64, into: &mut [u8]) -> Peek {
    let local = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let remote = libc::iovec { iov_base: ptr::without_provenance_mut(address as usize), iov_len: into.len() };
    // SAFETY: `getpid` has no conditions.
    let own = unsafe { libc::getpid() };
    // SAFETY: the local bytes are writable for the length of the call; of the remote ones the system checks whether they
    // can be read.
    let read = unsafe { libc::process_vm_readv(own, &raw const local, 1, &raw const remote, 1, 0) };
    match usize::try_from(read) {
        Ok(len) if len == into.len() => Peek::Read,
        Ok(_) => Peek::Gone,
        Err(_) if std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT) => Peek::Gone,
        Err(_) => Peek::Unknown,
    }
}

/// Whether the bytes can be read, or also written, unless the system does not say. To read, a byte of each page is asked for.
/// To write, the system makes the pages writable as a write would, which changes none; where it cannot say so (before Linux 5.14,
/// or of some mappings) that byte is written back.
pub(super) fn can_access(bytes: &Range<u64>, to_write: bool) -> bool {
    /// As many as one call takes.
    const MAX: usize = 1024;

    let page = page_size();
    let mut next = bytes.start;
    let (mut ends, mut values) = (Vec::new(), vec![0_u8; MAX]);
    while next < bytes.end {
        let first = next / page * page;
        ends.clear();
        while next < bytes.end && ends.len() < MAX {
            ends.push(libc::iovec { iov_base: ptr::without_provenance_mut(next as usize), iov_len: 1 });
            let Some(following) = (next / page + 1).checked_mul(page) else { return false };
            next = following;
        }
        if to_write && populate(ptr::without_provenance_mut(first as usize), (next - first) as usize) == Populated::All
        {
            continue;
        }
        let local = libc::iovec { iov_base: values.as_mut_ptr().cast(), iov_len: ends.len() };
        // SAFETY: `getpid` has no conditions.
        let own = unsafe { libc::getpid() };
        // SAFETY: the local bytes are writable for the length of the call; of the remote ones the system checks whether
        // they can be read.
        let read =
            unsafe { libc::process_vm_readv(own, &raw const local, 1, ends.as_ptr(), ends.len() as libc::c_ulong, 0) };
        if is_refused(read, ends.len()) {
            return false;
        }
        if !to_write {
            continue;
        }
        // SAFETY: the local bytes are readable for the length of the call; of the remote ones, which the caller of an entry
        // point gives it to write, the system checks whether they can be written.
        let written =
            unsafe { libc::process_vm_writev(own, &raw const local, 1, ends.as_ptr(), ends.len() as libc::c_ulong, 0) };
        if is_refused(written, ends.len()) {
            return false;
        }
    }
    true
}

/// Whether so few bytes came through because the rest cannot be reached.
fn is_refused(done: isize, all: usize) -> bool {
    match usize::try_from(done) {
        Ok(done) => done < all,
        Err(_) => std::io::Error::last_os_error().raw_os_error() == Some(libc::EFAULT),
    }
}

/// Whether all pages of a range are mapped with this access, `"r"`, `"rw"` or `"--x"`, where `-` says nothing: code that a
/// program makes may be writable too. True where the system does not say.
pub(super) fn are_mapped(bytes: &Range<u64>, wanted: &str) -> bool {
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return true };
    let mut next = bytes.start;
    // By address: `7f00-7fff rw-p ...`.
    for line in maps.lines() {
        let parsed = line.split_once(' ').and_then(|(range, rest)| {
            let (start, end) = range.split_once('-')?;
            Some((u64::from_str_radix(start, 16).ok()?, u64::from_str_radix(end, 16).ok()?, rest))
        });
        let Some((start, end, access)) = parsed else { continue };
        let is_right = wanted.bytes().zip(access.bytes()).all(|(wanted, is)| wanted == b'-' || wanted == is);
        if (start..end).contains(&next) && is_right {
            next = end;
        }
        if next >= bytes.end {
            return true;
        }
    }
    false
}

/// Whether the bytes are the same. Bytes that a program has not initialised are compared as what its memory holds.
pub(super) fn equal(these: &[MaybeUninit<u8>], those: &[u8]) -> bool {
    // SAFETY: both are good for reads of `those.len()` bytes: where the lengths differ, `&&` makes no call. The system's
    // function reads whatever bytes the memory holds, initialised or not; no value of Rust's is made of them.
    these.len() == those.len()
        && unsafe { libc::memcmp(these.as_ptr().cast(), those.as_ptr().cast(), those.len()) } == 0
}

/// Gives a mapping back.
///
/// # Safety
///
/// The `len` bytes at `pointer` are whole pages that [`map`] gave, and nothing uses them any more.
pub(super) unsafe fn unmap(pointer: *mut u8, len: usize) {
    // SAFETY: this function's contract.
    if !unsafe { crate::pages::unmap(pointer, len) } {
        log::warn!("simulated device: {len} bytes at {pointer:?} could not be unmapped");
    }
}

/// Makes reserved pages readable and writable; false where the system refuses.
///
/// # Safety
///
/// The `len` bytes at `address` are whole pages of a range that [`map`] reserved, and no memory is in use there, unless
/// [`guard`] closed it; or of a mapping that [`close_kept`] may have closed.
pub(super) unsafe fn open(address: u64, len: usize) -> bool {
    let pointer: *mut c_void = ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: by this function's contract only unused pages of a reserved range change.
    unsafe { libc::mprotect(pointer, len, Access::ReadWrite.bits()) == 0 }
}

/// Closes opened pages without giving up what they hold: touching them faults until they are opened again.
///
/// # Safety
///
/// The `len` bytes at `address` are whole pages that [`open`] opened, and a fault in them opens them again.
pub(super) unsafe fn guard(address: u64, len: usize) -> bool {
    let pointer: *mut c_void = ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: by this function's contract only opened pages of a reserved range change, and keep their contents.
    unsafe { libc::mprotect(pointer, len, Access::None.bits()) == 0 }
}

/// Closes memcore's own registered pages, which stay what they are, and may be unmapped.
///
/// # Safety
///
/// The `len` bytes at `address` are whole pages of a mapping that nothing uses until it is opened again.
pub(super) unsafe fn close_kept(address: u64, len: usize) {
    let pointer: *mut c_void = ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: by this function's contract only unused pages change. Where the system refuses they are open, and a use of
    // them after the free is not told.
    let _ = unsafe { libc::mprotect(pointer, len, Access::None.bits()) };
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
