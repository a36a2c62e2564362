//! Copies between device slices and the host.

use core::mem::MaybeUninit;

use super::DeviceSlice;
use crate::copy::Order;
use crate::error::Result;
use crate::memory::DeviceCopy;
use crate::memory::download::download;
use crate::memory::host_vec::host_vec;
use crate::memory::operand::{DeviceDestination, DeviceSource, HostDestination, ToDestination, ToSource};
use crate::memory::pair::{Pair, RawPair};
use crate::memory::size::same_len;
use crate::stream::Stream;

impl<T> DeviceSlice<T> {
    /// Copies all of `source` into this slice: a host slice, array, `Vec` or page-locked buffer, or device memory, also
    /// another device's. Complete on return. `copy!(slice <- source)` is the same, and makes the same driver calls.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![0i32; 3]?;
    /// dev.copy_from(&[1, 2, 3])?;
    /// let mut back = [0; 3];
    /// dev.copy_to(&mut back)?;
    /// assert_eq!(back, [1, 2, 3]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch);
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); the driver's code.
    #[doc(alias = "copy_from_host", alias = "copy_from_device")]
    #[track_caller]
    pub fn copy_from<'a, S>(&'a mut self, source: S) -> Result<()>
    where
        S: ToSource,
        DeviceDestination<'a, T>: Pair<S::Source>,
    {
        DeviceDestination::new(self).copy(source.__as_copy_source(), Order::Now)
    }

    /// Copies all of this slice into `destination`: a mutable host slice, array, `Vec` or page-locked buffer, or device
    /// memory, also another device's. Complete on return. `copy!(destination <- slice)` is the same, and makes the same
    /// driver calls.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch);
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); [`Error::InvalidValue`](crate::Error::InvalidValue)
    /// if bytes that come to the host are no value of `T`; the driver's code. What a failed copy leaves in the destination
    /// [`copy!`](crate::copy) says.
    #[doc(alias = "copy_to_host")]
    #[track_caller]
    pub fn copy_to<'a, D>(&'a self, destination: D) -> Result<()>
    where
        D: ToDestination,
        D::Destination: Pair<DeviceSource<'a, T>>,
    {
        destination.__as_copy_destination().copy(DeviceSource::new(self), Order::Now)
    }

    /// Queues a copy of all of `source` into this slice on `stream`. Does not wait; `copy!(slice <- source, async
    /// stream)` is the same. Driver function: one of those of [`copy!`](crate::copy).
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch);
    /// [`Error::DifferentDrivers`](crate::Error::DifferentDrivers); [`Error::OtherDevice`](crate::Error::OtherDevice);
    /// the driver's code.
    ///
    /// # Safety
    ///
    /// As for the asynchronous form of [`copy!`](crate::copy): until the copy is known to be complete both sides stay
    /// allocated, nothing writes the source, and nothing reads or writes the destination.
    #[doc(alias = "copy_from_host_async", alias = "async_copy_from")]
    #[track_caller]
    pub unsafe fn copy_from_async<'a, S>(&'a mut self, source: S, stream: &Stream) -> Result<()>
    where
        S: ToSource,
        DeviceDestination<'a, T>: RawPair<S::Source>,
    {
        // SAFETY: the caller's contract.
        unsafe { DeviceDestination::new(self).copy_raw(source.__as_copy_source(), stream) }
    }

    /// Queues a copy of all of this slice into `destination` on `stream`. Does not wait; `copy!(destination <- slice,
    /// async stream)` is the same. Driver function: one of those of [`copy!`](crate::copy).
    ///
    /// # Errors
    ///
    /// As [`copy_from_async`](Self::copy_from_async).
    ///
    /// # Safety
    ///
    /// As [`copy_from_async`](Self::copy_from_async).
    #[doc(alias = "copy_to_host_async", alias = "async_copy_to")]
    #[track_caller]
    pub unsafe fn copy_to_async<'a, D>(&'a self, destination: D, stream: &Stream) -> Result<()>
    where
        D: ToDestination,
        D::Destination: RawPair<DeviceSource<'a, T>>,
    {
        // SAFETY: the caller's contract.
        unsafe { destination.__as_copy_destination().copy_raw(DeviceSource::new(self), stream) }
    }

    /// The elements in a new `Vec`. Complete on return. Driver functions: those of [`copy!`](crate::copy) to pageable
    /// memory.
    ///
    /// # Errors
    ///
    /// [`Error::HostAllocation`](crate::Error::HostAllocation) if the host has no room;
    /// [`Error::InvalidValue`](crate::Error::InvalidValue) if bytes that came back are no value of `T`; the driver's
    /// code.
    #[doc(alias = "as_host_vec")]
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>>
    where
        T: DeviceCopy,
    {
        let mut vec = host_vec(self.len(), || self.context())?;
        let room = HostDestination::of_uninit(&mut vec.spare_capacity_mut()[..self.len()]);
        download(&room, self, Order::Now)?;
        // SAFETY: the capacity is at least `len`, and the download wrote as many values of `T`, checked.
        unsafe { vec.set_len(self.len()) };
        Ok(vec)
    }

    /// The one element of a slice of length 1. Complete on return. Driver functions: `cuMemcpyDtoHAsync_v2`,
    /// `cuStreamSynchronize`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![10u16, 20, 30]?;
    /// assert_eq!(dev[1].to_value()?, 20);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) if there is not exactly one;
    /// [`Error::InvalidValue`](crate::Error::InvalidValue) if its bytes are no value of `T`; the driver's code.
    #[doc(alias = "as_host_value")]
    #[track_caller]
    pub fn to_value(&self) -> Result<T>
    where
        T: DeviceCopy,
    {
        same_len(1, self.len())?;
        let mut value = MaybeUninit::uninit();
        download(&HostDestination::of_uninit(core::slice::from_mut(&mut value)), self, Order::Now)?;
        // SAFETY: the download wrote one value of `T`, checked.
        Ok(unsafe { value.assume_init() })
    }
}
