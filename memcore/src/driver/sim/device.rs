//! Devices and what can be asked of them.

use core::ffi::c_char;

use super::array_shape::limit;
use super::call::{Answer, Call, new_handle, write_out};
use super::machine::Machine;
use super::space::Space;
use crate::driver::ffi::{CUdevice, CUuuid};
use crate::error::Status;

/// The driver's version that the simulated device stands for.
pub(super) const DRIVER_VERSION: i32 = 13_000;
/// What every simulated device calls itself.
const NAME: &[u8] = b"memcore simulated device";

/// A simulated device.
#[derive(Debug)]
pub(super) struct Device {
    /// Bytes of memory.
    pub(super) total: u64,
    /// Bytes in use, with what its pools hold back.
    pub(super) used: u64,
    /// Its addresses.
    pub(super) space: Space,
    /// Its primary context's handle: the same each time that the context is made anew.
    pub(super) primary: u64,
    /// How the primary context is asked for, which changes nothing.
    #[cfg(feature = "libcuda")]
    pub(super) primary_flags: u32,
    /// How often the primary context is retained.
    pub(super) retained: u64,
    /// The handle of the pool that it has from the start.
    pub(super) default_pool: u64,
    /// That of the pool that `cuMemAllocAsync` takes from.
    pub(super) current_pool: u64,
}

impl Device {
    /// A device of `total` bytes.
    pub(super) fn new(total: u64) -> Self {
        let default_pool = new_handle();
        Self {
            total,
            used: 0,
            space: Space::reserve(total),
            primary: new_handle(),
            #[cfg(feature = "libcuda")]
            primary_flags: 0,
            retained: 0,
            default_pool,
            current_pool: default_pool,
        }
    }
}

impl Machine {
    /// The index of a device.
    pub(super) fn device_index(&self, device: CUdevice) -> Answer<usize> {
        usize::try_from(device).ok().filter(|index| *index < self.devices.len()).ok_or(Status::INVALID_DEVICE)
    }

    pub(super) fn init(&mut self, _: &Call, flags: u32) -> Answer {
        if flags != 0 {
            return Err(Status::INVALID_VALUE);
        }
        if self.devices.is_empty() {
            return Err(Status::NO_DEVICE);
        }
        self.initialised = true;
        Ok(())
    }

    #[allow(clippy::unused_self, reason = "every entry point is a method of the machine")]
    pub(super) unsafe fn driver_version(&mut self, _: &Call, out: *mut i32) -> Answer {
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, DRIVER_VERSION) }
    }

    pub(super) unsafe fn device_count(&mut self, _: &Call, out: *mut i32) -> Answer {
        let count = i32::try_from(self.devices.len()).unwrap_or(i32::MAX);
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, count) }
    }

    pub(super) unsafe fn device_get(&mut self, _: &Call, out: *mut CUdevice, ordinal: i32) -> Answer {
        self.device_index(ordinal)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, ordinal) }
    }

    pub(super) unsafe fn device_name(&mut self, _: &Call, out: *mut c_char, len: i32, device: CUdevice) -> Answer {
        self.device_index(device)?;
        let room = usize::try_from(len).ok().and_then(|len| len.checked_sub(1)).ok_or(Status::INVALID_VALUE)?;
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let text = NAME.get(..room).unwrap_or(NAME);
        for (index, byte) in text.iter().chain(&[0]).enumerate() {
            // SAFETY: `index <= room < len`, and by the driver contract `out` has room for `len` characters.
            unsafe { write_out(out.wrapping_add(index), byte.cast_signed() as c_char) }?;
        }
        Ok(())
    }

    pub(super) unsafe fn device_uuid(&mut self, _: &Call, out: *mut CUuuid, device: CUdevice) -> Answer {
        let index = self.device_index(device)?;
        let mut bytes = *b"memcore sim \0\0\0\0";
        for (byte, of) in bytes.iter_mut().skip(12).zip((index as u32).to_be_bytes()) {
            *byte = of;
        }
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, CUuuid { bytes: bytes.map(|byte| byte.cast_signed() as c_char) }) }
    }

    pub(super) unsafe fn device_attribute(
        &mut self,
        _: &Call,
        out: *mut i32,
        attribute: u32,
        device: CUdevice,
    ) -> Answer {
        let index = self.device_index(device)?;
        let value = match attribute {
            // CU_DEVICE_ATTRIBUTE_PCI_BUS_ID
            33 => i32::try_from(index).unwrap_or(0) + 1,
            // CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, _CONCURRENT_MANAGED_ACCESS, _HOST_REGISTER_SUPPORTED,
            // _READ_ONLY_HOST_REGISTER_SUPPORTED, _MEMORY_POOLS_SUPPORTED
            83 => i32::from(self.options.managed),
            89 => i32::from(self.options.concurrent_managed),
            99 => i32::from(self.options.registration),
            113 => i32::from(self.options.read_only_registration),
            115 => i32::from(self.options.pools),
            _ => {
                let known = fixed_attribute(attribute).or_else(|| limit(attribute));
                known.or_else(|| lacking(attribute)).ok_or(Status::INVALID_VALUE)?
            }
        };
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, value) }
    }

    pub(super) unsafe fn device_total_memory(&mut self, _: &Call, out: *mut usize, device: CUdevice) -> Answer {
        let index = self.device_index(device)?;
        let total = self.devices.get(index).map_or(0, |device| device.total);
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, usize::try_from(total).unwrap_or(usize::MAX)) }
    }

    pub(super) unsafe fn device_can_access_peer(
        &mut self,
        _: &Call,
        out: *mut i32,
        device: CUdevice,
        peer: CUdevice,
    ) -> Answer {
        let (device, peer) = (self.device_index(device)?, self.device_index(peer)?);
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, i32::from(device != peer)) }
    }

    pub(super) unsafe fn memory_info(&mut self, call: &Call, free: *mut usize, total: *mut usize) -> Answer {
        let context = self.working(call)?;
        let device = self.devices.get(self.device_of(context)).ok_or(Status::INVALID_CONTEXT)?;
        let (unused, all) = (device.total.saturating_sub(device.used), device.total);
        // Either may be left out.
        for (out, bytes) in [(free, unused), (total, all)] {
            if !out.is_null() {
                // SAFETY: not null, so writable by the driver contract.
                unsafe { write_out(out, usize::try_from(bytes).unwrap_or(usize::MAX)) }?;
            }
        }
        Ok(())
    }
}

/// The other attributes of a driver of this version: what the device has not.
fn lacking(attribute: u32) -> Option<i32> {
    /// `CU_DEVICE_ATTRIBUTE_ONLY_PARTIAL_HOST_NATIVE_ATOMIC_SUPPORTED`.
    const LAST: u32 = 147;

    (1..=LAST).contains(&attribute).then_some(0)
}

/// The attributes that are the same for every simulated device, by the numbers of `CUdevice_attribute`.
#[allow(clippy::match_same_arms, reason = "a list by number")]
const fn fixed_attribute(attribute: u32) -> Option<i32> {
    Some(match attribute {
        // Threads of a block: in all, and by axis.
        1..=3 => 1024,
        4 => 64,
        // Blocks of a grid, by axis.
        5 => i32::MAX,
        6 | 7 => 65_535,
        // Shared memory of a block, constant memory, warp, pitch, registers.
        8 => 48 << 10,
        9 => 64 << 10,
        10 => 32,
        11 => i32::MAX,
        12 => 65_536,
        // Clock in kHz, texture alignment, copies beside kernels, multiprocessors.
        13 => 1_000_000,
        14 => 512,
        15 => 1,
        16 => 16,
        // Time limit, integrated, can map host memory, compute mode.
        17 | 18 => 0,
        19 => 1,
        20 => 0,
        // Concurrent kernels, ECC; PCI device and TCC.
        31 | 32 => 1,
        34 | 35 => 0,
        // Memory clock in kHz, bus in bits, L2 cache in bytes, threads of a multiprocessor.
        36 => 1_000_000,
        37 => 4096,
        38 => 4 << 20,
        39 => 2048,
        // Copy engines, unified addressing, PCI domain.
        40 => 3,
        41 => 1,
        50 => 0,
        // Compute capability.
        75 => 9,
        76 => 0,
        // Stream priorities, one GPU a board, no pageable access, no preemption asked for.
        78 => 1,
        84 | 85 => 0,
        88 | 90 => 0,
        // Registered memory goes by its host pointer; no stream memory operations of the old kind; shared memory
        // opt-in.
        91 => 1,
        97 => 48 << 10,
        // No host page tables, no direct access to managed memory.
        100 | 101 => 0,
        _ => return None,
    })
}
