//! What only programs of other libraries ask of devices.

use core::ffi::c_char;

use super::super::call::{Answer, Call, write_out};
use super::super::machine::Machine;
use super::argument;
use crate::driver::ffi::CUdevice;
use crate::error::Status;

/// `CUdevprop`, all of it `int`s: what the attributes from the first on say.
pub(super) type Properties = [i32; 14];

/// `CU_DEVICE_ATTRIBUTE_PCI_BUS_ID`, `_PCI_DEVICE_ID` and `_PCI_DOMAIN_ID`.
const BUS: u32 = 33;
const SLOT: u32 = 34;
const DOMAIN: u32 = 50;
/// `CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR` and `_MINOR`.
const CAPABILITY: [u32; 2] = [75, 76];

/// Where a device sits: domain, bus, slot and function.
type Seat = [i32; 4];

impl Machine {
    pub(in super::super) unsafe fn device_properties(
        &mut self,
        _: &Call,
        out: *mut Properties,
        device: CUdevice,
    ) -> Answer {
        let index = self.device_index(device)?;
        let mut properties = Properties::default();
        for (value, attribute) in properties.iter_mut().zip(1..) {
            *value = self.attribute_of(index, attribute)?;
        }
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, properties) }
    }

    pub(in super::super) unsafe fn device_capability(
        &mut self,
        _: &Call,
        major: *mut i32,
        minor: *mut i32,
        device: CUdevice,
    ) -> Answer {
        let index = self.device_index(device)?;
        for (out, attribute) in [major, minor].into_iter().zip(CAPABILITY) {
            // SAFETY: `out` is null or writable by the driver contract.
            unsafe { write_out(out, self.attribute_of(index, attribute)?) }?;
        }
        Ok(())
    }

    fn seat_of(&self, index: usize) -> Answer<Seat> {
        let part = |attribute| self.attribute_of(index, attribute);
        Ok([part(DOMAIN)?, part(BUS)?, part(SLOT)?, 0])
    }

    /// As much of the text as there is room for, which is an error where that is not all.
    pub(in super::super) unsafe fn device_bus_id(
        &mut self,
        _: &Call,
        out: *mut c_char,
        len: i32,
        device: CUdevice,
    ) -> Answer {
        let index = self.device_index(device)?;
        let room = usize::try_from(len).ok().and_then(|len| len.checked_sub(1)).ok_or(Status::INVALID_VALUE)?;
        let [domain, bus, slot, function] = self.seat_of(index)?;
        let text = format!("{domain:04x}:{bus:02x}:{slot:02x}.{function:x}");
        for (index, byte) in text.bytes().take(room).chain([0]).enumerate() {
            // SAFETY: null stays null; else `index <= room < len`, and by the driver contract there is room for `len`.
            unsafe {
                write_out(if out.is_null() { out } else { out.wrapping_add(index) }, byte.cast_signed() as c_char)
            }?;
        }
        if text.len() <= room { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }

    pub(in super::super) unsafe fn device_by_bus_id(
        &mut self,
        _: &Call,
        out: *mut CUdevice,
        text: *const c_char,
    ) -> Answer {
        // SAFETY: a string of the caller's.
        let text = unsafe { argument::text(text) }.ok_or(Status::INVALID_VALUE)?;
        let seat = parse(&text).ok_or(Status::INVALID_VALUE)?;
        let index = (0..self.devices.len()).find(|index| self.seat_of(*index) == Ok(seat));
        let index = index.ok_or(Status::INVALID_DEVICE)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, i32::try_from(index).unwrap_or(i32::MAX)) }
    }

    pub(in super::super) unsafe fn device_peer_attribute(
        &mut self,
        _: &Call,
        out: *mut i32,
        attribute: u32,
        from: CUdevice,
        to: CUdevice,
    ) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let (from, to) = (self.device_index(from)?, self.device_index(to)?);
        if from == to {
            return Err(Status::INVALID_DEVICE);
        }
        let value = match attribute {
            // All links are of the same rank, and the simulated device has no atomic operations, in whole or in part.
            1 | 3 | 5 => 0,
            // Access to memory, and to arrays.
            2 | 4 => 1,
            _ => return Err(Status::INVALID_VALUE),
        };
        // SAFETY: writable by the driver contract.
        unsafe { write_out(out, value) }
    }
}

/// What `domain:bus:slot.function` names, all in hexadecimal; the domain and the function may be left out.
fn parse(text: &str) -> Option<Seat> {
    let number = |part: &str| i32::from_str_radix(part, 16).ok().filter(|number| *number >= 0);
    let (rest, function) = text.split_once('.').unwrap_or((text, "0"));
    let (rest, slot) = rest.rsplit_once(':')?;
    let (domain, bus) = rest.split_once(':').unwrap_or(("0", rest));
    Some([number(domain)?, number(bus)?, number(slot)?, number(function)?])
}
