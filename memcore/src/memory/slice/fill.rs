//! Fills of device slices.

use bytemuck::Zeroable;

use super::DeviceSlice;
use crate::copy::{self, Mode, Order};
use crate::error::{Error, Result};
use crate::memory::DeviceCopy;
use crate::stream::Stream;

impl<T> DeviceSlice<T> {
    /// Writes `value` to every element. Complete on return. `fill!(slice <- value)` is the same.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![0.0f64; 100]?;
    /// dev[10..20].fill(1.5)?;
    /// assert_eq!(dev[9..11].to_vec()?, [0.0, 1.5]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: one `cuMemsetD8Async`, `cuMemsetD16Async` or `cuMemsetD32Async` where the value's bytes repeat
    /// every 1, 2 or 4; else one `cuMemcpyHtoDAsync_v2` and ⌈log₂ len⌉ `cuMemcpyDtoDAsync_v2`; then
    /// `cuStreamSynchronize`.
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
        self.set_bytes(bytemuck::bytes_of(&value), self.len(), Mode::Waited(order))
    }

    /// Writes `value` to every byte. Complete on return.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![0u32; 4]?;
    /// dev.set_8(0x11)?;
    /// dev[1..3].set_16(0x2233)?;
    /// dev[3..].set_32(0x4455_6677)?;
    /// assert_eq!(dev.to_vec()?, [0x1111_1111, 0x2233_2233, 0x2233_2233, 0x4455_6677]);
    /// dev.set_zero()?;
    /// assert_eq!(dev.to_vec()?, [0; 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: `cuMemsetD8Async`, `cuStreamSynchronize`.
    ///
    /// Whether the bytes are values of `T` is checked when they come back to the host.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn set_8(&mut self, value: u8) -> Result<()> {
        self.set_bytes(&[value], self.size_in_bytes(), Mode::Waited(Order::Now))
    }

    /// Writes `value` to every two bytes. Complete on return. Driver functions: `cuMemsetD16Async` (`D8` where both
    /// bytes are equal), `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::MisalignedSet`] if address or size are no multiples of 2; the driver's code.
    #[track_caller]
    pub fn set_16(&mut self, value: u16) -> Result<()> {
        self.set_units(&value.to_ne_bytes(), Mode::Waited(Order::Now))
    }

    /// Writes `value` to every four bytes. Complete on return. Driver functions: `cuMemsetD32Async` (`D16` or `D8`
    /// where the value repeats), `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::MisalignedSet`] if address or size are no multiples of 4; the driver's code.
    #[track_caller]
    pub fn set_32(&mut self, value: u32) -> Result<()> {
        self.set_units(&value.to_ne_bytes(), Mode::Waited(Order::Now))
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

    /// As [`set_8`](Self::set_8), queued on `stream`. Does not wait. Driver function: `cuMemsetD8Async`.
    ///
    /// # Errors
    ///
    /// [`Error::DifferentDrivers`]; [`Error::OtherDevice`]; the driver's code.
    ///
    /// # Safety
    ///
    /// Until the set is known to be complete the memory stays allocated, and nothing else reads or writes it.
    #[track_caller]
    pub unsafe fn set_8_async(&mut self, value: u8, stream: &Stream) -> Result<()> {
        self.set_bytes(&[value], self.size_in_bytes(), Mode::Raw(stream))
    }

    /// As [`set_16`](Self::set_16), queued on `stream`. Does not wait. Driver function: `cuMemsetD16Async` (`D8` where
    /// both bytes are equal).
    ///
    /// # Errors
    ///
    /// [`Error::MisalignedSet`] if address or size are no multiples of 2; [`Error::DifferentDrivers`];
    /// [`Error::OtherDevice`]; the driver's code.
    ///
    /// # Safety
    ///
    /// Until the set is known to be complete the memory stays allocated, and nothing else reads or writes it.
    #[track_caller]
    pub unsafe fn set_16_async(&mut self, value: u16, stream: &Stream) -> Result<()> {
        self.set_units(&value.to_ne_bytes(), Mode::Raw(stream))
    }

    /// As [`set_32`](Self::set_32), queued on `stream`. Does not wait. Driver function: `cuMemsetD32Async` (`D16` or
    /// `D8` where the value repeats).
    ///
    /// # Errors
    ///
    /// [`Error::MisalignedSet`] if address or size are no multiples of 4; [`Error::DifferentDrivers`];
    /// [`Error::OtherDevice`]; the driver's code.
    ///
    /// # Safety
    ///
    /// Until the set is known to be complete the memory stays allocated, and nothing else reads or writes it.
    #[track_caller]
    pub unsafe fn set_32_async(&mut self, value: u32, stream: &Stream) -> Result<()> {
        self.set_units(&value.to_ne_bytes(), Mode::Raw(stream))
    }

    /// As [`set_zero`](Self::set_zero), queued on `stream`. Does not wait. Driver function: `cuMemsetD8Async`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let mut dev = device_vec![7u32; 100]?;
    /// // SAFETY: `dev` lives, unused, until the wait has succeeded.
    /// unsafe { dev.set_zero_async(&stream)? };
    /// stream.synchronize()?;
    /// assert_eq!(dev.to_vec()?, [0; 100]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`set_8_async`](Self::set_8_async).
    ///
    /// # Safety
    ///
    /// As [`set_8_async`](Self::set_8_async).
    #[track_caller]
    pub unsafe fn set_zero_async(&mut self, stream: &Stream) -> Result<()>
    where
        T: Zeroable,
    {
        // SAFETY: the caller's contract.
        unsafe { self.set_8_async(0, stream) }
    }

    #[track_caller]
    fn set_units(&mut self, unit: &[u8], mode: Mode<'_>) -> Result<()> {
        let (address, size, unit_size) = (self.address(), self.size_in_bytes(), unit.len());
        if size % unit_size != 0 || (size != 0 && address % unit_size as u64 != 0) {
            return Err(Error::MisalignedSet { address, size, unit: unit_size });
        }
        self.set_bytes(unit, size / unit_size, mode)
    }

    /// Writes `unit` `count` times, which is the slice's size.
    #[track_caller]
    fn set_bytes(&mut self, unit: &[u8], count: usize, mode: Mode<'_>) -> Result<()> {
        if self.size_in_bytes() == 0 {
            return Ok(());
        }
        // SAFETY: the slice has `count` times the unit's bytes, borrowed for this call alone, which waits; or the
        // caller of an asynchronous set answers for them, whose unit is small enough to go into the call itself.
        unsafe { copy::fill(self.context()?, self.address(), unit, count, mode) }
    }
}
