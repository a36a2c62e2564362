//! Managed memory by places that are more than a device's number, and several questions at once.

use core::ffi::c_void;

use super::super::call::{Answer, Call, read_in};
use super::super::machine::Machine;
use crate::driver::ffi::{
    ADVISE_SET_ACCESSED_BY, ADVISE_UNSET_ACCESSED_BY, CUdeviceptr, CUmemLocation, CUstream, LOCATION_DEVICE,
    LOCATION_HOST, LOCATION_HOST_NUMA_CURRENT,
};
use crate::error::Status;

/// Refuses what is no place.
fn check_kind(place: CUmemLocation, last: u32) -> Answer {
    if (LOCATION_DEVICE..=last).contains(&place.kind) { Ok(()) } else { Err(Status::INVALID_VALUE) }
}

impl Machine {
    pub(in super::super) fn mem_prefetch_to(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        place: CUmemLocation,
        flags: u32,
        stream: CUstream,
    ) -> Answer {
        check_kind(place, LOCATION_HOST_NUMA_CURRENT)?;
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        self.prefetch_to(call, address, bytes, place, stream)
    }

    /// What uses memory is a device or the host; it may lie in a part of the host's.
    pub(in super::super) fn mem_advise_of(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        advice: u32,
        place: CUmemLocation,
    ) -> Answer {
        let is_of_use = matches!(advice, ADVISE_SET_ACCESSED_BY | ADVISE_UNSET_ACCESSED_BY);
        check_kind(place, if is_of_use { LOCATION_HOST } else { LOCATION_HOST_NUMA_CURRENT })?;
        self.advise_of(call, address, bytes, advice, place)
    }

    pub(in super::super) unsafe fn mem_range_attributes(
        &mut self,
        call: &Call,
        out: *const *mut c_void,
        sizes: *const usize,
        attributes: *const u32,
        count: usize,
        address: CUdeviceptr,
        bytes: usize,
    ) -> Answer {
        self.context(call)?;
        if count == 0 {
            return Err(Status::INVALID_VALUE);
        }
        for index in 0..count {
            // SAFETY: `index < count`, and by the driver contract there are as many.
            let attribute = unsafe { read_nth(attributes, index) }?;
            // SAFETY: as above.
            let size = unsafe { read_nth(sizes, index) }?;
            // SAFETY: as above.
            let out = unsafe { read_nth(out, index) }?;
            // SAFETY: the driver contract of `out`.
            unsafe { self.mem_range_attribute(call, out, size, attribute, address, bytes) }?;
        }
        Ok(())
    }
}

/// One of several values that a caller has.
///
/// # Safety
///
/// `from` is null, or there are more than `index` values, good for reads.
pub(super) unsafe fn read_nth<T: Copy>(from: *const T, index: usize) -> Answer<T> {
    // SAFETY: this function's contract; null stays null.
    unsafe { read_in(if from.is_null() { from } else { from.wrapping_add(index) }) }
}
