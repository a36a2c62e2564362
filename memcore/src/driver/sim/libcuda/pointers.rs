//! Several attributes at once of an address or of managed memory, and advice by a location.

use core::ffi::c_void;

use super::super::call::{Answer, Call, as_pointer, read_in, write_out};
use super::super::machine::Machine;
use crate::driver::ffi::{
    ADVISE_SET_ACCESSED_BY, ADVISE_UNSET_ACCESSED_BY, CUcontext, CUdeviceptr, CUmemLocation, CUstream, DEVICE_INVALID,
    LOCATION_DEVICE, LOCATION_HOST, POINTER_ACCESS_FLAGS, POINTER_BUFFER_ID, POINTER_CONTEXT, POINTER_DEVICE_ORDINAL,
    POINTER_DEVICE_POINTER, POINTER_HANDLE_TYPES, POINTER_HOST_POINTER, POINTER_IS_IPC_CAPABLE, POINTER_IS_MANAGED,
    POINTER_MAPPED, POINTER_MEMORY_TYPE, POINTER_MEMPOOL_HANDLE, POINTER_RANGE_SIZE, POINTER_RANGE_START,
    POINTER_SYNC_MEMOPS,
};
use crate::error::Status;

/// `CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT`, the last of three that are the host, or a part of it.
const LOCATION_HOST_NUMA_CURRENT: u32 = 4;

/// Refuses what is no place, or comes after the last type that there may be.
fn check_type(location: CUmemLocation, last: u32) -> Answer {
    if (LOCATION_DEVICE..=last).contains(&location.kind) { Ok(()) } else { Err(Status::INVALID_VALUE) }
}

impl Machine {
    /// What is known of an address. Of what the driver does not know there are values that say so, and no error.
    pub(in super::super) unsafe fn pointer_attributes(
        &mut self,
        call: &Call,
        count: u32,
        attributes: *const u32,
        values: *const *mut c_void,
        address: CUdeviceptr,
    ) -> Answer {
        if count == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let is_device = self.is_reserved(&(address..address.saturating_add(1)));
        // One after the other: a wrong count ends at what is no attribute, or cannot be read.
        for index in 0..count as usize {
            // SAFETY: by the driver contract there are as many.
            let attribute = unsafe { read_in(attributes.wrapping_add(index)) }?;
            // SAFETY: as above.
            let value = unsafe { read_in(values.wrapping_add(index)) }?;
            // SAFETY: by the driver contract the value's place fits the attribute.
            match unsafe { self.pointer_attribute(call, value, attribute, address) } {
                // SAFETY: as above.
                Err(Status::INVALID_VALUE) => unsafe { write_unknown(value, attribute, (address, is_device)) }?,
                answer => answer?,
            }
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "the driver's own")]
    pub(in super::super) unsafe fn mem_range_attributes(
        &mut self,
        call: &Call,
        values: *const *mut c_void,
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
            // SAFETY: by the driver contract there are as many.
            let value = unsafe { read_in(values.wrapping_add(index)) }?;
            // SAFETY: as above.
            let size = unsafe { read_in(sizes.wrapping_add(index)) }?;
            // SAFETY: as above.
            let attribute = unsafe { read_in(attributes.wrapping_add(index)) }?;
            // SAFETY: by the driver contract the value's place has that size.
            unsafe { self.mem_range_attribute(call, value, size, attribute, address, bytes) }?;
        }
        Ok(())
    }

    pub(in super::super) fn mem_prefetch_to(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        location: CUmemLocation,
        flags: u32,
        stream: CUstream,
    ) -> Answer {
        check_type(location, LOCATION_HOST_NUMA_CURRENT)?;
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        self.prefetch_to(call, address, bytes, location, stream)
    }

    pub(in super::super) fn mem_advise_at(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        advice: u32,
        location: CUmemLocation,
    ) -> Answer {
        // What uses memory is a device or the host; it may lie in a part of the host's.
        let is_of_use = matches!(advice, ADVISE_SET_ACCESSED_BY | ADVISE_UNSET_ACCESSED_BY);
        check_type(location, if is_of_use { LOCATION_HOST } else { LOCATION_HOST_NUMA_CURRENT })?;
        self.advise_of(call, address, bytes, advice, location)
    }
}

/// Writes what says that nothing is known of an address.
///
/// # Safety
///
/// `out` is null or fits the attribute.
unsafe fn write_unknown(out: *mut c_void, attribute: u32, (address, is_device): (CUdeviceptr, bool)) -> Answer {
    match attribute {
        // SAFETY: this function's contract.
        POINTER_CONTEXT | POINTER_MEMPOOL_HANDLE => unsafe { write_out::<CUcontext>(out.cast(), as_pointer(0)) },
        // Of device memory null; of the host's own what was asked.
        POINTER_HOST_POINTER => {
            let host = if is_device { 0 } else { address };
            // SAFETY: this function's contract.
            unsafe { write_out::<u64>(out.cast(), host) }
        }
        POINTER_DEVICE_POINTER
        | POINTER_BUFFER_ID
        | POINTER_RANGE_START
        | POINTER_RANGE_SIZE
        | POINTER_HANDLE_TYPES => {
            // SAFETY: this function's contract.
            unsafe { write_out::<u64>(out.cast(), 0) }
        }
        // SAFETY: this function's contract.
        POINTER_DEVICE_ORDINAL => unsafe { write_out::<i32>(out.cast(), DEVICE_INVALID) },
        POINTER_MEMORY_TYPE
        | POINTER_SYNC_MEMOPS
        | POINTER_IS_MANAGED
        | POINTER_IS_IPC_CAPABLE
        | POINTER_MAPPED
        | POINTER_ACCESS_FLAGS => {
            // SAFETY: this function's contract.
            unsafe { write_out::<u32>(out.cast(), 0) }
        }
        _ => Err(Status::INVALID_VALUE),
    }
}
