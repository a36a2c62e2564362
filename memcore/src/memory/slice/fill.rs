//! Fills of device slices.

use bytemuck::Zeroable;

use super::DeviceSlice;
use crate::copy::{self, Mode, Order};
use crate::error::{Error, Result};
use crate::memory::DeviceCopy;

impl<T> DeviceSlice<T> {
    /// Writes `value` to every element. Complete on return. `fill!(slice <- value)` is the same.
    ///
    /// Driver functions: one `cuMemsetD8Async`, `D16` or `D32` where the value's bytes repeat every 1, 2 or 4; else one
    /// `cuMemcpyHtoDAsync_v2` and ⌈log₂ len⌉ `cuMemcpyDtoDAsync_v2`; then `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn fill(&mut self, value: T) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.fill_in_order(value, Order::Now)
    }

    #[track_caller]
    pub(crate) fn fill_in_order(&mut self, value: T, order: Order<'_>) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.set_bytes(bytemuck::bytes_of(&value), self.len(), order)
    }

    /// Writes `value` to every byte. Complete on return. Driver functions: `cuMemsetD8Async`, `cuStreamSynchronize`.
    ///
    /// Whether the bytes are values of `T` is checked when they come back to the host.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn set_8(&mut self, value: u8) -> Result<()> {
        self.set_bytes(&[value], self.size_in_bytes(), Order::Now)
    }

    /// Writes `value` to every two bytes. Complete on return. Driver functions: `cuMemsetD16Async` (`D8` where both bytes
    /// are equal), `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::MisalignedSet`] if address or size are no multiples of 2; the driver's code.
    #[track_caller]
    pub fn set_16(&mut self, value: u16) -> Result<()> {
        self.set_units(&value.to_ne_bytes(), Order::Now)
    }

    /// Writes `value` to every four bytes. Complete on return. Driver functions: `cuMemsetD32Async` (`D16` or `D8` where
    /// the value repeats), `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::MisalignedSet`] if address or size are no multiples of 4; the driver's code.
    #[track_caller]
    pub fn set_32(&mut self, value: u32) -> Result<()> {
        self.set_units(&value.to_ne_bytes(), Order::Now)
    }

    /// Writes zero to every byte. Complete on return. Driver functions: `cuMemsetD8Async`, `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn set_zero(&mut self) -> Result<()>
    where
        T: Zeroable,
    {
        self.set_8(0)
    }

    #[track_caller]
    fn set_units(&mut self, unit: &[u8], order: Order<'_>) -> Result<()> {
        let (address, size, unit_size) = (self.address(), self.size_in_bytes(), unit.len());
        if size % unit_size != 0 || (size != 0 && address % unit_size as u64 != 0) {
            return Err(Error::MisalignedSet { address, size, unit: unit_size });
        }
        self.set_bytes(unit, size / unit_size, order)
    }

    /// Writes `unit` `count` times, which is the slice's size.
    #[track_caller]
    fn set_bytes(&mut self, unit: &[u8], count: usize, order: Order<'_>) -> Result<()> {
        if self.size_in_bytes() == 0 {
            return Ok(());
        }
        // SAFETY: the slice has `count` times the unit's bytes, borrowed for this call alone, which waits.
        unsafe { copy::fill(self.context()?, self.address(), unit, count, Mode::Waited(order)) }
    }
}
