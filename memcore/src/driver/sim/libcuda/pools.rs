//! The pool that stream-ordered memory of a device is taken from.

use super::super::call::{Answer, Call, as_handle, as_pointer, write_out};
use super::super::machine::Machine;
use crate::driver::ffi::{
    ALLOCATION_TYPE_PINNED, CUdevice, CUmemLocation, CUmemoryPool, LOCATION_DEVICE, LOCATION_HOST_NUMA_CURRENT,
};
use crate::error::Status;

/// `CU_MEM_ALLOCATION_TYPE_MANAGED`.
const ALLOCATION_TYPE_MANAGED: u32 = 2;

impl Machine {
    fn check_pools(&self) -> Answer {
        if self.options.pools { Ok(()) } else { Err(Status::NOT_SUPPORTED) }
    }

    pub(in super::super) unsafe fn device_default_pool(
        &mut self,
        _: &Call,
        out: *mut CUmemoryPool,
        device: CUdevice,
    ) -> Answer {
        let index = self.device_index(device)?;
        self.check_pools()?;
        let pool = self.devices.get(index).map_or(0, |device| device.default_pool);
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, as_pointer(pool)) }
    }

    pub(in super::super) unsafe fn device_pool(
        &mut self,
        _: &Call,
        out: *mut CUmemoryPool,
        device: CUdevice,
    ) -> Answer {
        let index = self.device_index(device)?;
        self.check_pools()?;
        let pool = self.devices.get(index).map_or(0, |device| device.pool);
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, as_pointer(pool)) }
    }

    /// It must be a pool of that device's memory.
    pub(in super::super) fn device_set_pool(&mut self, _: &Call, device: CUdevice, pool: CUmemoryPool) -> Answer {
        let index = self.device_index(device)?;
        if self.pool(pool)?.device != index {
            return Err(Status::INVALID_VALUE);
        }
        if let Some(device) = self.devices.get_mut(index) {
            device.pool = as_handle(pool);
        }
        Ok(())
    }

    /// The device that memory of such a location and type lies on. What memory of the host and managed memory is taken from in
    /// pools the simulated device has not.
    ///
    /// # Safety
    ///
    /// `location` is null or good for a read.
    unsafe fn pool_device(location: *mut CUmemLocation, of: u32) -> Answer<CUdevice> {
        if location.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, so good for a read by this function's contract.
        let CUmemLocation { kind, id } = unsafe { location.read() };
        match (kind, of) {
            (LOCATION_DEVICE, ALLOCATION_TYPE_PINNED) => Ok(id),
            (0..=LOCATION_HOST_NUMA_CURRENT, ALLOCATION_TYPE_MANAGED) => Err(Status::NOT_SUPPORTED),
            (1..=LOCATION_HOST_NUMA_CURRENT, ALLOCATION_TYPE_PINNED) => Err(Status::NOT_SUPPORTED),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    pub(in super::super) unsafe fn location_default_pool(
        &mut self,
        call: &Call,
        out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        of: u32,
    ) -> Answer {
        // SAFETY: the driver contract.
        let device = unsafe { Self::pool_device(location, of) }?;
        // SAFETY: the driver contract of `out`.
        unsafe { self.device_default_pool(call, out, device) }
    }

    pub(in super::super) unsafe fn location_pool(
        &mut self,
        call: &Call,
        out: *mut CUmemoryPool,
        location: *mut CUmemLocation,
        of: u32,
    ) -> Answer {
        // SAFETY: the driver contract.
        let device = unsafe { Self::pool_device(location, of) }?;
        // SAFETY: the driver contract of `out`.
        unsafe { self.device_pool(call, out, device) }
    }

    pub(in super::super) unsafe fn location_set_pool(
        &mut self,
        call: &Call,
        location: *mut CUmemLocation,
        of: u32,
        pool: CUmemoryPool,
    ) -> Answer {
        // SAFETY: the driver contract.
        let device = unsafe { Self::pool_device(location, of) }?;
        self.device_set_pool(call, device, pool)
    }
}
