//! An owned value in device memory.

use core::fmt;
use core::ops::{Deref, DerefMut};

use bytemuck::Zeroable;

use super::DeviceBuffer;
use crate::context::AllocateIn;
use crate::error::{Error, Result, ViewError};
use crate::memory::{DeviceCopy, DevicePointer, DeviceSlice};

/// One `T` in device memory, which it owns: what `Box<T>` is on the host.
///
/// It derefs to a [`DeviceSlice`] of length 1. [`device_box!`](crate::device_box) makes one. What its constructors call
/// and fail with, and what its drop does, is as for [`DeviceBuffer`].
///
/// ```
/// use memcore::prelude::*;
///
/// let mut dev = device_box![1.5f64]?;
/// copy!(dev <- [2.5])?;
/// assert_eq!(dev.to_value()?, 2.5);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct DeviceBox<T> {
    /// INVARIANT: its length is 1.
    pub(super) buffer: DeviceBuffer<T>,
}

impl<T> DeviceBox<T> {
    /// A copy of `value`. Complete on return.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer`]'s constructors.
    #[track_caller]
    pub fn new(value: &T) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Ok(Self { buffer: DeviceBuffer::from_slice(core::slice::from_ref(value))? })
    }

    /// As [`new`](Self::new), in a context, or from a pool.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer`]'s constructors.
    #[track_caller]
    pub fn new_in(place: &(impl AllocateIn + ?Sized), value: &T) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Ok(Self { buffer: DeviceBuffer::from_slice_in(place, core::slice::from_ref(value))? })
    }

    /// A value of zero bytes. Complete on return.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer`]'s constructors.
    #[track_caller]
    pub fn zeroed() -> Result<Self>
    where
        T: Zeroable,
    {
        Ok(Self { buffer: DeviceBuffer::zeroed(1)? })
    }

    /// As [`zeroed`](Self::zeroed), in a context, or from a pool.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer`]'s constructors.
    #[track_caller]
    pub fn zeroed_in(place: &(impl AllocateIn + ?Sized)) -> Result<Self>
    where
        T: Zeroable,
    {
        Ok(Self { buffer: DeviceBuffer::zeroed_in(place, 1)? })
    }

    /// Room for a value, whose bytes are whatever they are.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer`]'s constructors.
    ///
    /// # Safety
    ///
    /// The value is not read before it is written, neither by the host nor by a kernel.
    #[doc(alias = "alloc")]
    #[track_caller]
    pub unsafe fn uninitialized() -> Result<Self> {
        // SAFETY: the caller's contract.
        let buffer = unsafe { DeviceBuffer::uninitialized(1)? };
        Ok(Self { buffer })
    }

    /// As [`uninitialized`](Self::uninitialized), in a context, or from a pool.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer`]'s constructors.
    ///
    /// # Safety
    ///
    /// As [`uninitialized`](Self::uninitialized).
    #[track_caller]
    pub unsafe fn uninitialized_in(place: &(impl AllocateIn + ?Sized)) -> Result<Self> {
        // SAFETY: the caller's contract.
        let buffer = unsafe { DeviceBuffer::uninitialized_in(place, 1)? };
        Ok(Self { buffer })
    }

    /// Frees the memory and says whether that worked; on a failure the box comes back with the error. Does not wait.
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::try_free`].
    #[track_caller]
    pub fn try_free(self) -> Result<(), (Error, Self)> {
        self.buffer.try_free().map_err(|(error, buffer)| (error, Self { buffer }))
    }

    /// Gives up ownership; see [`DeviceBuffer::into_raw_parts`].
    #[must_use = "the memory is leaked unless it is put together again"]
    pub fn into_raw(self) -> DevicePointer<T> {
        self.buffer.into_raw_parts().0
    }

    /// Takes ownership of a value in device memory.
    ///
    /// # Safety
    ///
    /// As [`DeviceBuffer::from_raw_parts`] with a length of 1.
    #[must_use]
    pub unsafe fn from_raw(pointer: DevicePointer<T>) -> Self {
        // SAFETY: the caller's contract.
        let buffer = unsafe { DeviceBuffer::from_raw_parts(pointer, 1) };
        Self { buffer }
    }

    /// The memory for the rest of the process: it is never freed, and its context stays open.
    #[must_use]
    pub fn leak<'a>(self) -> &'a mut DeviceSlice<T>
    where
        T: 'a,
    {
        self.buffer.leak()
    }

    /// The same memory as a `U`, which frees it.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`], with the box, if the two types differ in size, or the address is not aligned for `U`.
    #[track_caller]
    pub fn cast<U: DeviceCopy>(self) -> Result<DeviceBox<U>, (Error, Self)> {
        if size_of::<T>() == size_of::<U>() {
            let cast = self.buffer.cast().map(|buffer| DeviceBox { buffer });
            return cast.map_err(|(error, buffer)| (error, Self { buffer }));
        }
        let reason = "a box holds one value, so the sizes must be equal";
        Err((ViewError::error::<T, U>(self.as_device_ptr().as_raw(), 1, reason), self))
    }
}

impl<T> Deref for DeviceBox<T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        &self.buffer
    }
}

impl<T> DerefMut for DeviceBox<T> {
    fn deref_mut(&mut self) -> &mut DeviceSlice<T> {
        &mut self.buffer
    }
}

/// Shows the address; the value is out of the host's reach.
impl<T> fmt::Debug for DeviceBox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DeviceBox").field(&self.as_device_ptr()).finish()
    }
}
