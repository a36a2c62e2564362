//! Several questions about an address at once, and the one thing that can be said of it.

use core::ffi::c_void;

use super::super::call::{Answer, Call, read_in};
use super::super::machine::Machine;
use super::super::pointer::Value;
use super::managed::read_nth;
use crate::driver::ffi::{
    CUdeviceptr, DEVICE_INVALID, POINTER_ACCESS_FLAGS, POINTER_CONTEXT, POINTER_DEVICE_ORDINAL, POINTER_HOST_POINTER,
    POINTER_IS_DECOMPRESS_CAPABLE, POINTER_IS_IPC_CAPABLE, POINTER_IS_MANAGED, POINTER_IS_RDMA_CAPABLE, POINTER_MAPPED,
    POINTER_MEMORY_TYPE, POINTER_SYNC_MEMOPS,
};
use crate::error::Status;

/// `CU_POINTER_ATTRIBUTE_P2P_TOKENS`, which the simulated device has not.
const TOKENS: u32 = 5;

/// What several attributes at once say of an address that the driver does not know.
fn unknown(attribute: u32, address: CUdeviceptr) -> Answer<Value> {
    Ok(match attribute {
        POINTER_HOST_POINTER => Value::Long(address),
        POINTER_DEVICE_ORDINAL => Value::Word(DEVICE_INVALID.cast_unsigned()),
        POINTER_MEMORY_TYPE
        | POINTER_SYNC_MEMOPS
        | POINTER_IS_MANAGED
        | POINTER_IS_IPC_CAPABLE
        | POINTER_MAPPED
        | POINTER_IS_RDMA_CAPABLE
        | POINTER_ACCESS_FLAGS
        | POINTER_IS_DECOMPRESS_CAPABLE => Value::Word(0),
        TOKENS => return Err(Status::INVALID_VALUE),
        POINTER_CONTEXT..POINTER_IS_DECOMPRESS_CAPABLE => Value::Long(0),
        _ => return Err(Status::INVALID_VALUE),
    })
}

impl Machine {
    /// An unknown address is no error, nor that device memory has no host pointer.
    pub(in super::super) unsafe fn pointer_attributes(
        &mut self,
        call: &Call,
        count: u32,
        attributes: *const u32,
        out: *const *mut c_void,
        address: CUdeviceptr,
    ) -> Answer {
        if count == 0 {
            return Err(Status::INVALID_VALUE);
        }
        self.check_current(call)?;
        let is_known = self.memory.holding(address).is_some_and(|one| one.freed.is_none());
        for index in 0..count as usize {
            // SAFETY: `index < count`, and by the driver contract there are as many.
            let attribute = unsafe { read_nth(attributes, index) }?;
            // SAFETY: as above.
            let out = unsafe { read_nth(out, index) }?;
            let value = match self.pointer_value(call, attribute, address) {
                Err(Status::INVALID_VALUE) if is_known && attribute == POINTER_HOST_POINTER => Value::Long(0),
                Err(Status::INVALID_VALUE) if !is_known => unknown(attribute, address)?,
                value => value?,
            };
            // SAFETY: the driver contract: it is null or fits the attribute's value.
            unsafe { value.write(out) }?;
        }
        Ok(())
    }

    pub(in super::super) unsafe fn pointer_set_attribute(
        &mut self,
        call: &Call,
        value: *const c_void,
        attribute: u32,
        address: CUdeviceptr,
    ) -> Answer {
        self.check_current(call)?;
        if attribute != POINTER_SYNC_MEMOPS {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: null, or by the driver contract an `unsigned int`, as this attribute's value is.
        let is_wanted = unsafe { read_in(value.cast::<u32>()) }? != 0;
        let known = self.memory.holding(address).filter(|one| one.freed.is_none()).map(|one| one.id);
        let one = known.and_then(|id| self.memory.get_mut(id)).ok_or(Status::INVALID_VALUE)?;
        one.is_synchronous = is_wanted;
        Ok(())
    }
}
