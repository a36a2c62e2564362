//! What the driver knows of an address.

use core::ffi::c_void;

use super::call::{Answer, Call, as_pointer, write_out};
use super::machine::Machine;
use super::memory::Kind;
use crate::driver::ffi::{
    ACCESS_READ_WRITE, CUcontext, CUdeviceptr, CUmemoryPool, MEMORY_TYPE_DEVICE, MEMORY_TYPE_HOST,
    POINTER_ACCESS_FLAGS, POINTER_BUFFER_ID, POINTER_CONTEXT, POINTER_DEVICE_ORDINAL, POINTER_DEVICE_POINTER,
    POINTER_HANDLE_TYPES, POINTER_HOST_POINTER, POINTER_IS_IPC_CAPABLE, POINTER_IS_MANAGED, POINTER_MAPPED,
    POINTER_MEMORY_TYPE, POINTER_MEMPOOL_HANDLE, POINTER_RANGE_SIZE, POINTER_RANGE_START, POINTER_SYNC_MEMOPS,
};
use crate::error::Status;

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
            POINTER_CONTEXT => {
                let context = if matches!(kind, Kind::Pool(_)) { 0 } else { one.context };
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, a context handle.
                unsafe { write_out::<CUcontext>(out.cast(), as_pointer(context)) }
            }
            POINTER_MEMORY_TYPE => {
                let of = if kind.is_host() { MEMORY_TYPE_HOST } else { MEMORY_TYPE_DEVICE };
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `unsigned int`.
                unsafe { write_out::<u32>(out.cast(), of) }
            }
            POINTER_DEVICE_POINTER => {
                // Which device's: the current context says.
                self.context(call)?;
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, a device address.
                unsafe { write_out::<CUdeviceptr>(out.cast(), address) }
            }
            POINTER_HOST_POINTER if !kind.is_device() => {
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, a pointer.
                unsafe {
                    write_out::<*mut c_void>(out.cast(), core::ptr::with_exposed_provenance_mut(address as usize))
                }
            }
            // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `unsigned long long`.
            POINTER_BUFFER_ID => unsafe { write_out::<u64>(out.cast(), one.id) },
            // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `unsigned int`.
            POINTER_IS_MANAGED => unsafe { write_out::<u32>(out.cast(), u32::from(kind == Kind::Managed)) },
            POINTER_SYNC_MEMOPS | POINTER_IS_IPC_CAPABLE | POINTER_MAPPED | POINTER_ACCESS_FLAGS => {
                let value = match attribute {
                    POINTER_SYNC_MEMOPS => u32::from(kind == Kind::Managed),
                    POINTER_IS_IPC_CAPABLE => u32::from(kind == Kind::Device),
                    POINTER_MAPPED => 1,
                    // As an H200 says of all memory, whatever the other device may do.
                    _ => ACCESS_READ_WRITE,
                };
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `unsigned int`.
                unsafe { write_out::<u32>(out.cast(), value) }
            }
            // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `unsigned long long`.
            POINTER_HANDLE_TYPES => unsafe { write_out::<u64>(out.cast(), 0) },
            POINTER_DEVICE_ORDINAL => {
                // SAFETY: by the driver contract `out` is null or fits this attribute's value, an `int`.
                unsafe { write_out::<i32>(out.cast(), i32::try_from(device).unwrap_or(i32::MAX)) }
            }
            // SAFETY: by the driver contract `out` is null or fits this attribute's value, a device address.
            POINTER_RANGE_START => unsafe { write_out::<CUdeviceptr>(out.cast(), one.base) },
            POINTER_RANGE_SIZE => {
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
        // Either may be null: then it is not asked for.
        if base.is_null() && size.is_null() {
            return Ok(());
        }
        self.context(call)?;
        let one = self.memory.holding(address).filter(|one| one.freed.is_none()).ok_or(Status::NOT_FOUND)?;
        let (start, len) = (one.base, usize::try_from(one.size).unwrap_or(usize::MAX));
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
