//! What the driver knows of an address.

use core::ffi::c_void;

use super::call::{Answer, Call, as_pointer, write_out};
use super::machine::Machine;
use super::memory::Kind;
use crate::driver::ffi::{
    CUcontext, CUdeviceptr, CUmemoryPool, MEMORY_TYPE_DEVICE, MEMORY_TYPE_HOST, POINTER_DEVICE_ORDINAL,
    POINTER_IS_MANAGED, POINTER_MEMORY_TYPE, POINTER_MEMPOOL_HANDLE,
};
use crate::error::Status;

/// `CU_POINTER_ATTRIBUTE_CONTEXT`.
const CONTEXT: u32 = 1;
/// `CU_POINTER_ATTRIBUTE_DEVICE_POINTER`.
const DEVICE_POINTER: u32 = 3;
/// `CU_POINTER_ATTRIBUTE_HOST_POINTER`.
const HOST_POINTER: u32 = 4;
/// `CU_POINTER_ATTRIBUTE_BUFFER_ID`.
const BUFFER_ID: u32 = 7;
/// `CU_POINTER_ATTRIBUTE_RANGE_START_ADDR`.
const RANGE_START: u32 = 11;
/// `CU_POINTER_ATTRIBUTE_RANGE_SIZE`.
const RANGE_SIZE: u32 = 12;

impl Machine {
    pub(super) unsafe fn pointer_attribute(
        &mut self,
        call: &Call,
        out: *mut c_void,
        attribute: u32,
        address: CUdeviceptr,
    ) -> Answer {
        self.check_current(call)?;
        let one = self.memory.holding(address).filter(|one| one.freed.is_none()).ok_or(Status::INVALID_VALUE)?;
        let (kind, device) = (one.kind, one.device);
        match attribute {
            CONTEXT => {
                let context = if matches!(kind, Kind::Pool(_)) { 0 } else { one.context };
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, a context handle.
                unsafe { write_out::<CUcontext>(out.cast(), as_pointer(context)) }
            }
            POINTER_MEMORY_TYPE => {
                let of = if kind.is_host() { MEMORY_TYPE_HOST } else { MEMORY_TYPE_DEVICE };
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `unsigned int`.
                unsafe { write_out::<u32>(out.cast(), of) }
            }
            // SAFETY: by the driver contract `out` is null or fits this attribute's value, a device address.
            DEVICE_POINTER => unsafe { write_out::<CUdeviceptr>(out.cast(), address) },
            HOST_POINTER if !kind.is_device() => {
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, a pointer.
                unsafe {
                    write_out::<*mut c_void>(out.cast(), core::ptr::with_exposed_provenance_mut(address as usize))
                }
            }
            // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `unsigned long long`.
            BUFFER_ID => unsafe { write_out::<u64>(out.cast(), one.id) },
            // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `unsigned int`.
            POINTER_IS_MANAGED => unsafe { write_out::<u32>(out.cast(), u32::from(kind == Kind::Managed)) },
            POINTER_DEVICE_ORDINAL => {
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `int`.
                unsafe { write_out::<i32>(out.cast(), i32::try_from(device).unwrap_or(i32::MAX)) }
            }
            // SAFETY: by the driver contract `out` is null or fits this attribute's value, a device address.
            RANGE_START => unsafe { write_out::<CUdeviceptr>(out.cast(), one.base) },
            RANGE_SIZE => {
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, a `size_t`.
                unsafe { write_out::<usize>(out.cast(), usize::try_from(one.size).unwrap_or(usize::MAX)) }
            }
            POINTER_MEMPOOL_HANDLE => {
                let pool = if let Kind::Pool(pool) = kind { pool } else { 0 };
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, a pool handle.
                unsafe { write_out::<CUmemoryPool>(out.cast(), as_pointer(pool)) }
            }
            _ => Err(Status::INVALID_VALUE),
        }
    }

    pub(super) unsafe fn mem_address_range(
        &mut self,
        call: &Call,
        base: *mut CUdeviceptr,
        size: *mut usize,
        address: CUdeviceptr,
    ) -> Answer {
        self.context(call)?;
        let one = self.memory.holding(address).filter(|one| one.freed.is_none()).ok_or(Status::NOT_FOUND)?;
        let (start, len) = (one.base, usize::try_from(one.size).unwrap_or(usize::MAX));
        // Either may be null: then it is not asked for.
        if !base.is_null() {
            // SAFETY: not null, so by the driver contract writable.
            unsafe { write_out(base, start) }?;
        }
        if !size.is_null() {
            // SAFETY: as above.
            unsafe { write_out(size, len) }?;
        }
        Ok(())
    }
}
