//! A host value with its copy on the device.

use core::fmt;
use core::ops::{Deref, DerefMut};

use super::{DeviceBox, DeviceCopy, DevicePointer, DeviceSlice};
use crate::error::Result;

/// A value on the host and its copy on the device, moved from one to the other when asked.
///
/// It derefs to the host's value. What its constructor calls and fails with, and what its drop does, is as for
/// [`DeviceBox`].
///
/// ```
/// use memcore::prelude::*;
///
/// let mut variable = DeviceVariable::new(5u32)?;
/// *variable += 1; // the host's value
/// variable.copy_htod()?; // now the device has 6 too
/// fill!(variable.as_device_slice_mut() <- 9)?; // the device's value
/// assert_eq!(*variable, 6);
/// variable.copy_dtoh()?;
/// assert_eq!(*variable, 9);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct DeviceVariable<T> {
    host: T,
    device: DeviceBox<T>,
}

impl<T> DeviceVariable<T> {
    /// The value, on both sides. Complete on return.
    ///
    /// # Errors
    ///
    /// As [`DeviceBox::new`].
    #[track_caller]
    pub fn new(value: T) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Ok(Self { device: DeviceBox::new(&value)?, host: value })
    }

    /// Copies the host's value to the device. Complete on return. Driver functions: `cuMemcpyHtoDAsync_v2`,
    /// `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn copy_htod(&mut self) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.device.copy_from(core::slice::from_ref(&self.host))
    }

    /// Copies the device's value to the host. Complete on return. Driver functions: `cuMemcpyDtoHAsync_v2`,
    /// `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidValue`](crate::Error::InvalidValue) if the device's bytes are no value of `T`, and then the
    /// host's value is as it was; the driver's code.
    #[track_caller]
    pub fn copy_dtoh(&mut self) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.host = self.device.to_value()?;
        Ok(())
    }

    /// The address of the device's value, for a kernel or another library.
    #[must_use]
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        self.device.as_device_ptr()
    }

    /// The device's value, to be read.
    #[must_use]
    pub fn as_device_slice(&self) -> &DeviceSlice<T> {
        &self.device
    }

    /// The device's value, to be written.
    #[must_use]
    pub fn as_device_slice_mut(&mut self) -> &mut DeviceSlice<T> {
        &mut self.device
    }
}

impl<T> Deref for DeviceVariable<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.host
    }
}

impl<T> DerefMut for DeviceVariable<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.host
    }
}

/// Shows the address of the device's value.
impl<T> fmt::Debug for DeviceVariable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeviceVariable").field(&self.as_device_ptr()).finish()
    }
}
