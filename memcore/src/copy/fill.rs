//! Fills of device memory with a repeated value.

use core::ffi::c_void;

use super::operation::Refused;
use crate::context::Prepare;
use crate::driver::ffi::{CUdeviceptr, CUstream};
use crate::driver::{Driver, check, symbol};
use crate::error::Result;

/// The cheapest calls that write a value over and over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// All bytes of the value are this one.
    Bytes(u8),
    /// The value is this, repeated.
    Halves(u16),
    /// The value is this, repeated.
    Words(u32),
    /// Anything else: the value is written once, and the written part doubled by device copies.
    Doubling,
}

impl Pattern {
    /// For a value whose bytes are `value`, at `address`, whose units the driver wants aligned.
    pub(super) fn of(value: &[u8], address: CUdeviceptr) -> Self {
        let repeats = |unit: usize| {
            value.len().is_multiple_of(unit) && value.chunks_exact(unit).all(|part| part == &value[..unit])
        };
        if repeats(1) {
            return Self::Bytes(value[0]);
        }
        if repeats(2) && address.is_multiple_of(2) {
            return Self::Halves(u16::from_ne_bytes([value[0], value[1]]));
        }
        if repeats(4) && address.is_multiple_of(4) {
            return Self::Words(u32::from_ne_bytes([value[0], value[1], value[2], value[3]]));
        }
        Self::Doubling
    }
}

/// Whether a fill with the value at `address` is one call, which is queued whole or refused whole.
pub(crate) fn fills_by_one_call(value: &[u8], address: CUdeviceptr) -> bool {
    Pattern::of(value, address) != Pattern::Doubling
}

/// A fill of memory that was just allocated, before anyone has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Filled<'v> {
    pub(crate) value: &'v [u8],
    pub(crate) count: usize,
}

impl Prepare for Filled<'_> {
    unsafe fn queue(self, driver: &dyn Driver, address: CUdeviceptr, stream: CUstream) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe { queue_fill(driver, stream, address, self.value, self.count, Seed::Upload) }
            .map_err(Refused::into_error)
    }
}

/// Queues the calls of [`fill`](super::fill).
///
/// # Safety
///
/// As [`fill`](super::fill); `stream` is alive and its context bound.
#[track_caller]
pub(super) unsafe fn queue_fill(
    driver: &dyn Driver,
    stream: CUstream,
    dst: CUdeviceptr,
    value: &[u8],
    count: usize,
    seed: Seed,
) -> Result<(), Refused> {
    let bytes = value.len() * count;
    let set = match Pattern::of(value, dst) {
        Pattern::Bytes(unit) => {
            // SAFETY: `bytes` from `dst` on may be written.
            check(symbol::memset_d8_async, unsafe { driver.memset_d8_async(dst, unit, bytes, stream) })
        }
        Pattern::Halves(unit) => {
            // SAFETY: `bytes` from `dst` on may be written; `dst` is aligned to 2.
            check(symbol::memset_d16_async, unsafe { driver.memset_d16_async(dst, unit, bytes / 2, stream) })
        }
        Pattern::Words(unit) => {
            // SAFETY: `bytes` from `dst` on may be written; `dst` is aligned to 4.
            check(symbol::memset_d32_async, unsafe { driver.memset_d32_async(dst, unit, bytes / 4, stream) })
        }
        Pattern::Doubling => {
            match seed {
                Seed::Upload => {
                    let src = value.as_ptr().cast::<c_void>();
                    // SAFETY: the first value's bytes from `dst` on may be written, and `value` stays until the work is
                    // done.
                    let status = unsafe { driver.memcpy_htod_async(dst, src, value.len(), stream) };
                    check(symbol::memcpy_htod_async, status).map_err(Refused::whole)?;
                }
                // SAFETY: the first value's bytes from `dst` on may be written.
                Seed::Sets => unsafe { queue_words(driver, stream, dst, value)? },
            }
            let mut written = value.len();
            while written < bytes {
                let more = written.min(bytes - written);
                // SAFETY: `written + more` bytes from `dst` on may be written, and the two parts do not overlap.
                let status = unsafe { driver.memcpy_dtod_async(dst + written as u64, dst, more, stream) };
                check(symbol::memcpy_dtod_async, status).map_err(Refused::half_way)?;
                written += more;
            }
            Ok(())
        }
    };
    set.map_err(Refused::whole)
}

/// How the first of the values that are then doubled gets to the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seed {
    /// By an upload, which may read the value later.
    Upload,
    /// By a memset of each of its words.
    Sets,
}

/// Writes `value` at `dst`, a memset for each word.
///
/// # Safety
///
/// The value's bytes from `dst` on may be written; `stream` is alive and its context bound.
#[track_caller]
unsafe fn queue_words(driver: &dyn Driver, stream: CUstream, dst: CUdeviceptr, value: &[u8]) -> Result<(), Refused> {
    let fits = |unit: usize| value.len().is_multiple_of(unit) && dst.is_multiple_of(unit as u64);
    let unit = [4, 2, 1].into_iter().find(|unit| fits(*unit)).unwrap_or(1);
    for (i, word) in value.chunks_exact(unit).enumerate() {
        let at = dst + (i * unit) as u64;
        let set = match *word {
            [a, b, c, d] => {
                let word = u32::from_ne_bytes([a, b, c, d]);
                // SAFETY: the word lies inside and is aligned.
                check(symbol::memset_d32_async, unsafe { driver.memset_d32_async(at, word, 1, stream) })
            }
            [a, b] => {
                let word = u16::from_ne_bytes([a, b]);
                // SAFETY: the word lies inside and is aligned.
                check(symbol::memset_d16_async, unsafe { driver.memset_d16_async(at, word, 1, stream) })
            }
            _ => {
                // SAFETY: the byte lies inside.
                check(symbol::memset_d8_async, unsafe { driver.memset_d8_async(at, word[0], 1, stream) })
            }
        };
        set.map_err(|error| Refused { error, is_half_way: i > 0 })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn the_cheapest_pattern_is_found() {
        assert_eq!(Pattern::of(&[7], 1), Pattern::Bytes(7));
        assert_eq!(Pattern::of(&[0; 24], 8), Pattern::Bytes(0));
        assert_eq!(Pattern::of(&0x1234_u16.to_ne_bytes(), 2), Pattern::Halves(0x1234));
        assert_eq!(Pattern::of(&0x1234_5678_u32.to_ne_bytes(), 4), Pattern::Words(0x1234_5678));
        assert_eq!(Pattern::of(&[1, 2, 3, 4, 1, 2, 3, 4], 8), Pattern::Words(u32::from_ne_bytes([1, 2, 3, 4])));
        assert_eq!(Pattern::of(&1.5_f64.to_ne_bytes(), 8), Pattern::Doubling);
        assert_eq!(Pattern::of(&[1, 2, 3], 4), Pattern::Doubling);
    }

    #[test]
    fn a_misaligned_address_takes_no_wide_set() {
        assert_eq!(Pattern::of(&[1, 2], 3), Pattern::Doubling);
        assert_eq!(Pattern::of(&[1, 2, 3, 4], 2), Pattern::Doubling);
        assert_eq!(Pattern::of(&[9, 9], 3), Pattern::Bytes(9));
    }
}
