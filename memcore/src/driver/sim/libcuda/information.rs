//! What can be asked of a device, and its pools.

use core::ffi::c_char;

use super::super::call::{Answer, Call, as_handle, as_pointer, write_out};
use super::super::device::Device;
use super::super::machine::Machine;
use super::argument;
use crate::driver::ffi::{CUdevice, CUmemoryPool, CUuuid};
use crate::error::Status;

/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
const CAPABILITY: [u32; 2] = [75, 76];
/// `CUdevprop` has the first attributes of `CUdevice_attribute`, in their order.
const PROPERTIES: core::ops::RangeInclusive<u32> = 1..=14;
/// `CU_DEVICE_ATTRIBUTE_PCI_BUS_ID`.
const PCI_BUS_ID: u32 = 33;
/// `CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK`, `_ACCESS_SUPPORTED` and the last.
const PEER_RANK: u32 = 1;
const PEER_ACCESS: u32 = 2;
const LAST_PEER_ATTRIBUTE: u32 = 5;

/// A device's PCI bus id, as the driver writes it.
fn bus_id(bus: i32) -> String {
    format!("0000:{bus:02x}:00.0")
}

impl Machine {
    pub(in super::super) unsafe fn device_uuid_2(&mut self, call: &Call, out: *mut CUuuid, device: CUdevice) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.device_uuid(call, out, device) }
    }

    fn attribute(&mut self, call: &Call, attribute: u32, device: CUdevice) -> Answer<i32> {
        let mut value = 0;
        // SAFETY: a place of this function's own.
        unsafe { self.device_attribute(call, &raw mut value, attribute, device) }?;
        Ok(value)
    }

    pub(in super::super) unsafe fn device_properties(
        &mut self,
        call: &Call,
        out: *mut i32,
        device: CUdevice,
    ) -> Answer {
        for (index, attribute) in PROPERTIES.enumerate() {
            let value = self.attribute(call, attribute, device)?;
            // SAFETY: `out` is null or has room for as many by the driver contract; null stays null.
            unsafe { write_out(if out.is_null() { out } else { out.wrapping_add(index) }, value) }?;
        }
        Ok(())
    }

    pub(in super::super) unsafe fn device_compute_capability(
        &mut self,
        call: &Call,
        major: *mut i32,
        minor: *mut i32,
        device: CUdevice,
    ) -> Answer {
        for (out, attribute) in [major, minor].into_iter().zip(CAPABILITY) {
            let value = self.attribute(call, attribute, device)?;
            // SAFETY: null or writable by the driver contract.
            unsafe { write_out(out, value) }?;
        }
        Ok(())
    }

    pub(in super::super) unsafe fn device_bus_id(
        &mut self,
        call: &Call,
        out: *mut c_char,
        len: i32,
        device: CUdevice,
    ) -> Answer {
        let text = bus_id(self.attribute(call, PCI_BUS_ID, device)?);
        let room = usize::try_from(len).ok().and_then(|len| len.checked_sub(1)).ok_or(Status::INVALID_VALUE)?;
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // As much as there is room for.
        for (index, byte) in text.bytes().take(room).chain([0]).enumerate() {
            // SAFETY: `index <= room < len`, and by the driver contract there is room for `len` characters.
            unsafe { write_out(out.wrapping_add(index), byte.cast_signed() as c_char) }?;
        }
        if text.len() <= room { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }

    pub(in super::super) unsafe fn device_by_bus_id(
        &mut self,
        call: &Call,
        out: *mut CUdevice,
        text: *const c_char,
    ) -> Answer {
        // SAFETY: a string by the driver contract; that is looked at.
        let wanted = unsafe { argument::text(text) }.ok_or(Status::INVALID_VALUE)?;
        for device in 0..i32::try_from(self.devices.len()).unwrap_or(i32::MAX) {
            if bus_id(self.attribute(call, PCI_BUS_ID, device)?).eq_ignore_ascii_case(&wanted) {
                // SAFETY: null or writable by the driver contract.
                return unsafe { write_out(out, device) };
            }
        }
        Err(Status::INVALID_VALUE)
    }

    pub(in super::super) unsafe fn device_peer_attribute(
        &mut self,
        _: &Call,
        out: *mut i32,
        attribute: u32,
        device: CUdevice,
        peer: CUdevice,
    ) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        if self.device_index(device)? == self.device_index(peer)? {
            return Err(Status::INVALID_DEVICE);
        }
        if !(PEER_RANK..=LAST_PEER_ATTRIBUTE).contains(&attribute) {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: writable by the driver contract.
        unsafe { write_out(out, i32::from(attribute == PEER_ACCESS)) }
    }

    /// The index of a device that has pools.
    fn with_pools(&self, device: CUdevice) -> Answer<usize> {
        let index = self.device_index(device)?;
        if self.options.pools { Ok(index) } else { Err(Status::NOT_SUPPORTED) }
    }

    pub(in super::super) unsafe fn device_default_pool(
        &mut self,
        _: &Call,
        out: *mut CUmemoryPool,
        device: CUdevice,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.write_pool(out, device, |device| device.default_pool) }
    }

    pub(in super::super) unsafe fn device_pool(
        &mut self,
        _: &Call,
        out: *mut CUmemoryPool,
        device: CUdevice,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.write_pool(out, device, |device| device.current_pool) }
    }

    /// # Safety
    ///
    /// `out` is null or good for a write.
    unsafe fn write_pool(&self, out: *mut CUmemoryPool, device: CUdevice, which: fn(&Device) -> u64) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let pool = self.devices.get(self.with_pools(device)?).map_or(0, which);
        // SAFETY: this function's contract.
        unsafe { write_out(out, as_pointer(pool)) }
    }

    pub(in super::super) fn device_set_pool(&mut self, _: &Call, device: CUdevice, pool: CUmemoryPool) -> Answer {
        let index = self.with_pools(device)?;
        if self.pool(pool)?.device != index {
            return Err(Status::INVALID_VALUE);
        }
        if let Some(device) = self.devices.get_mut(index) {
            device.current_pool = as_handle(pool);
        }
        Ok(())
    }
}
