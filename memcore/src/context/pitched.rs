//! Pitched device memory.

use super::allocate::{Allocation, AllocatorKind};
use super::binding::Relaxed;
use super::inner::Inner;
use crate::driver::ffi::{CUdeviceptr, MAX_PITCH};
use crate::driver::{check, symbol};
use crate::error::{Error, Result, Status};

impl Inner {
    /// Allocates `rows` rows of `width` bytes, both more than 0, for elements of `element` bytes: the memory and the bytes
    /// from one row to the next. It does not wait.
    ///
    /// Calls: `cuMemAllocPitch_v2`. When memory runs out, pending frees are awaited, the pool is trimmed and the allocation
    /// tried once more.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; the driver's code. Nothing is allocated then.
    #[track_caller]
    pub(crate) fn allocate_pitched(&self, width: usize, rows: usize, element: usize) -> Result<(Allocation, usize)> {
        if width > MAX_PITCH - ROUNDING {
            // A driver may allocate them (an H200's does), and its copies take no such pitch.
            return Err(Error::Unsupported { what: "memory in rows more than 2147483647 bytes apart" });
        }
        let bound = self.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        match self.try_allocate_pitched(width, rows, element) {
            Err(Error::Driver { status: Status::OUT_OF_MEMORY, .. }) => {
                self.make_room(None)?;
                let again = self.try_allocate_pitched(width, rows, element);
                again.map_err(|error| self.explain(error, width.saturating_mul(rows)))
            }
            other => other,
        }
    }

    #[track_caller]
    fn try_allocate_pitched(&self, width: usize, rows: usize, element: usize) -> Result<(Allocation, usize)> {
        let (mut address, mut pitch): (CUdeviceptr, usize) = (0, 0);
        let element = access_size(element);
        // SAFETY: both are writable for the length of the call.
        let status = unsafe { self.driver().mem_alloc_pitch(&raw mut address, &raw mut pitch, width, rows, element) };
        check(symbol::mem_alloc_pitch, status)?;
        let allocation = Allocation { address, bytes: pitch * rows, origin: Some(AllocatorKind::Direct) };
        Ok((self.adopt(allocation), pitch))
    }
}

/// How much longer a pitch is than a row, at most, on any device so far.
const ROUNDING: usize = 511;

/// The size of what a kernel reads at once, as the driver takes it: 4, 8 or 16 bytes.
const fn access_size(element: usize) -> u32 {
    match element {
        0..=4 => 4,
        5..=8 => 8,
        _ => 16,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn element_sizes_are_rounded_up_to_those_of_the_driver() {
        let sizes = [1, 2, 3, 4, 5, 8, 9, 12, 16, 17, 64].map(super::access_size);
        assert_eq!(sizes, [4, 4, 4, 4, 8, 8, 16, 16, 16, 16, 16]);
    }
}
