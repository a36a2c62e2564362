//! The host's share of a copy: between the program's memory and page-locked memory.

use core::ptr;

use crate::copy::{Extent, Place};

/// Which way the host copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    ToSlot,
    FromSlot,
}

/// Copies the rows of `extent` between `host`, a place of that pitch and height, and `slot`, where they follow each other;
/// `non_temporal`, past the caches.
///
/// # Safety
///
/// The one side is valid for reads and the other for writes, and they do not overlap.
pub(super) unsafe fn copy(host: *mut u8, place: &Place, slot: *mut u8, extent: Extent, way: Way, non_temporal: bool) {
    let (run, rows, slices) = runs(place, extent);
    for slice in 0..slices {
        for row in 0..rows {
            let apart = host.wrapping_add((slice * place.height + row) * place.pitch);
            let together = slot.wrapping_add((slice * rows + row) * run);
            let (from, to) = if way == Way::ToSlot { (apart, together) } else { (together, apart) };
            if non_temporal {
                // SAFETY: the caller's contract.
                unsafe { copy_non_temporal(from, to, run) };
            } else {
                // SAFETY: the caller's contract.
                unsafe { ptr::copy_nonoverlapping(from, to, run) };
            }
        }
    }
    if non_temporal {
        fence();
    }
}

/// The length of what lies without a gap, and how many rows and slices of that there are.
fn runs(place: &Place, extent: Extent) -> (usize, usize, usize) {
    let Extent { width, rows, slices } = extent;
    if rows > 1 && place.pitch != width {
        return (width, rows, slices);
    }
    if slices > 1 && place.height * place.pitch != width * rows {
        return (width * rows, 1, slices);
    }
    (width * rows * slices, 1, 1)
}

/// Copies past the caches: what is written is not read before, as plain stores do, and lies in memory afterwards, where a
/// device reads faster than in the caches of a core.
///
/// # Safety
///
/// `from` is valid for reads and `to` for writes of `bytes`, and they do not overlap.
#[cfg(target_arch = "x86_64")]
unsafe fn copy_non_temporal(from: *const u8, to: *mut u8, bytes: usize) {
    let head = to.align_offset(LINE).min(bytes);
    let lines = (bytes - head) / LINE;
    let done = head + lines * LINE;
    // SAFETY: the caller's contract, of the first bytes.
    unsafe { ptr::copy_nonoverlapping(from, to, head) };
    let (first, first_to) = (from.wrapping_add(head), to.wrapping_add(head));
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the processor has AVX; the caller's contract, of whole lines.
        unsafe { copy_wide_lines(first, first_to, lines) };
    } else {
        // SAFETY: the caller's contract, of whole lines.
        unsafe { copy_lines(first, first_to, lines) };
    }
    // SAFETY: the caller's contract, of the last bytes.
    unsafe { ptr::copy_nonoverlapping(from.wrapping_add(done), to.wrapping_add(done), bytes - done) };
}

/// Bytes that a core's caches move at once.
#[cfg(target_arch = "x86_64")]
const LINE: usize = 64;

/// Writes a function that copies lines past the caches, by registers of one kind.
#[cfg(target_arch = "x86_64")]
macro_rules! line_copy {
    ($(#[$attribute:meta])* $name:ident, $register:ident, $load:ident, $store:ident) => {
        $(#[$attribute])*
        ///
        /// # Safety
        ///
        /// `from` is valid for reads and `to`, which is aligned to a line, for writes of so many lines; the processor has the
        /// registers.
        unsafe fn $name(from: *const u8, to: *mut u8, lines: usize) {
            use core::arch::x86_64::{$load, $register, $store};

            for line in 0..lines {
                for word in 0..LINE / size_of::<$register>() {
                    let offset = line * LINE + word * size_of::<$register>();
                    // SAFETY: the word lies within the lines, and any alignment serves.
                    let value = unsafe { $load(from.wrapping_add(offset).cast()) };
                    // SAFETY: the word lies within the lines, aligned; `fence` comes before anyone reads it.
                    unsafe { $store(to.wrapping_add(offset).cast(), value) };
                }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
line_copy! {
    /// Copies lines past the caches, 16 bytes at once, as every processor can.
    copy_lines, __m128i, _mm_loadu_si128, _mm_stream_si128
}

#[cfg(target_arch = "x86_64")]
line_copy! {
    /// Copies lines past the caches, 32 bytes at once.
    #[target_feature(enable = "avx")]
    copy_wide_lines, __m256i, _mm256_loadu_si256, _mm256_stream_si256
}

/// Elsewhere as any copy.
///
/// # Safety
///
/// As above.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy_non_temporal(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's contract.
    unsafe { ptr::copy_nonoverlapping(from, to, bytes) };
}

/// Orders what was written past the caches before what this thread writes next, by which others learn of it.
fn fence() {
    #[cfg(target_arch = "x86_64")]
    crate::copy::empty_write_buffers();
}

#[cfg(test)]
mod tests {
    use super::{Extent, Place, Way, copy, runs};
    use crate::copy::Memory;

    fn place(pitch: usize, height: usize) -> Place {
        Place { memory: Memory::Host(core::ptr::null_mut()), pitch, height }
    }

    #[test]
    fn rows_without_gaps_are_one() {
        let extent = Extent { width: 4, rows: 3, slices: 2 };
        assert_eq!(runs(&place(4, 3), extent), (24, 1, 1));
        assert_eq!(runs(&place(4, 5), extent), (12, 1, 2));
        assert_eq!(runs(&place(5, 3), extent), (4, 3, 2));
        assert_eq!(runs(&place(9, 7), Extent { rows: 1, slices: 1, ..extent }), (4, 1, 1));
        assert_eq!(runs(&place(4, 1), Extent { rows: 1, ..extent }), (8, 1, 1));
    }

    /// Both ways, at every alignment and about every edge of the streamed part.
    #[test]
    fn every_byte_is_copied_and_no_other() {
        let ways = [(Way::ToSlot, false), (Way::ToSlot, true), (Way::FromSlot, false), (Way::FromSlot, true)];
        for bytes in [0, 1, 63, 64, 65, 191, 1000, 4096] {
            for (from, to) in [(0, 0), (1, 0), (0, 1), (3, 63), (64, 17)] {
                for (way, non_temporal) in ways {
                    let to_host = way == Way::FromSlot;
                    let mut packed: Vec<u8> = (0..bytes + 200).map(|at| (at * 7 % 251) as u8).collect();
                    let mut host = vec![0xAA; bytes + 200];
                    if !to_host {
                        core::mem::swap(&mut packed, &mut host);
                    }
                    let (packed_at, host_at) = if to_host { (from, to) } else { (to, from) };
                    let extent = Extent { width: bytes, rows: 1, slices: 1 };
                    let (near, far) = (host[host_at..].as_mut_ptr(), packed[packed_at..].as_mut_ptr());
                    // SAFETY: both have room for as many bytes.
                    unsafe { copy(near, &place(bytes, 1), far, extent, way, non_temporal) };
                    let (source, result) = if to_host { (&packed, &host) } else { (&host, &packed) };
                    assert_eq!(result[to..to + bytes], source[from..from + bytes]);
                    assert!(result[..to].iter().chain(&result[to + bytes..]).all(|byte| *byte == 0xAA));
                }
            }
        }
    }
}
