//! What the driver knows of an address.

use core::ffi::c_void;

use super::call::{Answer, Call, write_out};
use super::machine::Machine;
use super::memory::Kind;
use crate::driver::ffi::{
    ACCESS_READ_WRITE, CUdeviceptr, MEMORY_TYPE_DEVICE, MEMORY_TYPE_HOST, POINTER_ACCESS_FLAGS, POINTER_BLOCK_ID,
    POINTER_BUFFER_ID, POINTER_CONTEXT, POINTER_DEVICE_ORDINAL, POINTER_DEVICE_POINTER, POINTER_HANDLE_TYPES,
    POINTER_HOST_POINTER, POINTER_IS_DECOMPRESS_CAPABLE, POINTER_IS_IPC_CAPABLE, POINTER_IS_MANAGED,
    POINTER_IS_RDMA_CAPABLE, POINTER_MAPPED, POINTER_MAPPING_SIZE, POINTER_MAPPING_START, POINTER_MEMORY_TYPE,
    POINTER_MEMPOOL_HANDLE, POINTER_RANGE_SIZE, POINTER_RANGE_START, POINTER_SYNC_MEMOPS,
};
use crate::error::Status;

/// The value of an attribute.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// An `int` or `unsigned int`.
    Word(u32),
    /// A `size_t`, an `unsigned long long`, an address, a pointer, a handle.
    Long(u64),
}

impl Value {
    /// Writes the value where a caller wants it.
    ///
    /// # Safety
    ///
    /// `out` is null or good for a write of a value of its size.
    pub(super) unsafe fn write(self, out: *mut c_void) -> Answer {
        match self {
            // SAFETY: this function's contract.
            Self::Word(value) => unsafe { write_out(out.cast(), value) },
            // SAFETY: this function's contract.
            Self::Long(value) => unsafe { write_out(out.cast(), value) },
        }
    }
}

impl Machine {
    pub(super) unsafe fn pointer_attribute(
        &mut self,
        call: &Call,
        out: *mut c_void,
        attribute: u32,
        address: CUdeviceptr,
    ) -> Answer {
        let value = self.pointer_value(call, attribute, address)?;
        // SAFETY: by the driver contract `out` is null or fits this attribute's value.
        unsafe { value.write(out) }
    }

    /// An attribute of an address that the driver knows.
    pub(super) fn pointer_value(&self, call: &Call, attribute: u32, address: CUdeviceptr) -> Answer<Value> {
        self.check_current(call)?;
        let one = self.memory.holding(address).filter(|one| one.freed.is_none()).ok_or(Status::INVALID_VALUE)?;
        let kind = one.kind;
        Ok(match attribute {
            POINTER_CONTEXT => Value::Long(if matches!(kind, Kind::Pool(_)) { 0 } else { one.context }),
            POINTER_MEMORY_TYPE => Value::Word(if kind.is_host() { MEMORY_TYPE_HOST } else { MEMORY_TYPE_DEVICE }),
            POINTER_DEVICE_POINTER => {
                // Which device's: the current context says.
                self.context(call)?;
                Value::Long(address)
            }
            POINTER_HOST_POINTER if !kind.is_device() => Value::Long(address),
            POINTER_BUFFER_ID | POINTER_BLOCK_ID => Value::Long(one.id),
            POINTER_IS_MANAGED => Value::Word(u32::from(kind == Kind::Managed)),
            POINTER_SYNC_MEMOPS => Value::Word(u32::from(kind == Kind::Managed || one.is_synchronous)),
            POINTER_IS_IPC_CAPABLE => Value::Word(u32::from(kind == Kind::Device)),
            POINTER_MAPPED => Value::Word(1),
            // As an H200 says of all memory, whatever the other device may do.
            POINTER_ACCESS_FLAGS => Value::Word(ACCESS_READ_WRITE),
            POINTER_IS_RDMA_CAPABLE | POINTER_IS_DECOMPRESS_CAPABLE => Value::Word(0),
            POINTER_HANDLE_TYPES => Value::Long(0),
            POINTER_DEVICE_ORDINAL => Value::Word(u32::try_from(one.device).unwrap_or(u32::MAX)),
            POINTER_RANGE_START | POINTER_MAPPING_START => Value::Long(one.base),
            POINTER_RANGE_SIZE | POINTER_MAPPING_SIZE => Value::Long(one.size),
            POINTER_MEMPOOL_HANDLE => Value::Long(if let Kind::Pool(pool) = kind { pool } else { 0 }),
            _ => return Err(Status::INVALID_VALUE),
        })
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
