//! The same device memory under another element type.

use super::DeviceSlice;
use crate::error::Result;
use crate::memory::DeviceCopy;
use crate::memory::size::view_len;

impl<T> DeviceSlice<T> {
    /// The same memory as `U`s. Its bytes are read as they are; whether they are values of `U` is checked when they
    /// come back to the host.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![1.0f32, 2.0]?;
    /// assert_eq!(dev.view_as::<u32>()?.to_vec()?, [1.0f32.to_bits(), 2.0f32.to_bits()]);
    /// assert!(dev[..1].view_as::<u64>().is_err());
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`](crate::Error::InvalidView) if the size is no multiple of `U`'s, the address is not
    /// aligned for `U`, or `U` has no bytes.
    pub fn view_as<U: DeviceCopy>(&self) -> Result<&DeviceSlice<U>> {
        let len = view_len::<T, U>(self.address(), self.len())?;
        // SAFETY: the same bytes, as many and aligned, borrowed as `self` is.
        Ok(unsafe { DeviceSlice::from_raw_parts(self.as_device_ptr().cast(), len) })
    }

    /// The same memory as `U`s, mutably.
    ///
    /// # Errors
    ///
    /// As [`view_as`](Self::view_as).
    pub fn view_as_mut<U: DeviceCopy>(&mut self) -> Result<&mut DeviceSlice<U>> {
        let len = view_len::<T, U>(self.address(), self.len())?;
        // SAFETY: the same bytes, as many and aligned, borrowed as `self` is. Whatever bytes are written, a `T` that
        // comes back to the host is checked.
        Ok(unsafe { DeviceSlice::from_raw_parts_mut(self.as_device_ptr().cast(), len) })
    }
}
