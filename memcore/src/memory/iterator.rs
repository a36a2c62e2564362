//! Device memory and the host's lists: iterators, and vectors that grow.

use super::host_vec::reserve;
use super::operand::HostDestination;
use super::size::same_len;
use super::{DeviceBuffer, DeviceCopy, DeviceSlice, download};
use crate::context::AllocateIn;
use crate::copy::Order;
use crate::error::Result;

/// Of what an iterator says that it has, room for so many bytes is made at once: it may be wrong.
const TRUSTED: usize = 1 << 24;

/// The values of an iterator, whatever it says of their number.
#[track_caller]
pub(crate) fn gather<T>(values: impl IntoIterator<Item = T>) -> Result<Vec<T>> {
    let values = values.into_iter();
    let mut gathered = Vec::new();
    reserve(&mut gathered, values.size_hint().0.min(TRUSTED / size_of::<T>().max(1)))?;
    for value in values {
        if gathered.len() == gathered.capacity() {
            reserve(&mut gathered, 1)?;
        }
        gathered.push(value);
    }
    Ok(gathered)
}

impl<T: DeviceCopy> DeviceBuffer<T> {
    /// The values of an iterator, as many as come. They are gathered on the host first, whatever the iterator says of their
    /// number; if it panics nothing was allocated on the device. Then as [`from_slice`](Self::from_slice), which takes a
    /// slice without gathering it. Complete on return.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let squares = DeviceBuffer::try_from_iter((1..=4).map(|i: u32| i * i))?;
    /// assert_eq!(squares.to_vec()?, [1, 4, 9, 16]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::HostAllocation`](crate::Error::HostAllocation) if the host has no room; see the type's page.
    #[doc(alias = "from_iter")]
    #[track_caller]
    pub fn try_from_iter(values: impl IntoIterator<Item = T>) -> Result<Self> {
        Self::from_slice(&gather(values)?)
    }

    /// As [`try_from_iter`](Self::try_from_iter), in a context, or from a pool.
    ///
    /// # Errors
    ///
    /// As [`try_from_iter`](Self::try_from_iter).
    #[track_caller]
    pub fn try_from_iter_in(place: &(impl AllocateIn + ?Sized), values: impl IntoIterator<Item = T>) -> Result<Self> {
        Self::from_slice_in(place, &gather(values)?)
    }
}

impl<T: DeviceCopy> DeviceSlice<T> {
    /// Copies the values of an iterator here, which has to have exactly as many. They are gathered on the host first.
    /// Complete on return. Driver functions: `cuMemcpyHtoDAsync_v2`, `cuStreamSynchronize`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![0u16; 4]?;
    /// dev[1..].copy_from_iter([7, 8, 9])?;
    /// assert_eq!(dev.to_vec()?, [0, 7, 8, 9]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch), of which `source_len` is at most one more than there is
    /// room for: no more values are asked for. [`Error::HostAllocation`](crate::Error::HostAllocation) if the host has
    /// no room; the driver's code.
    #[track_caller]
    pub fn copy_from_iter(&mut self, values: impl IntoIterator<Item = T>) -> Result<()> {
        let values = gather(values.into_iter().take(self.len().saturating_add(1)))?;
        same_len(self.len(), values.len())?;
        self.copy_from(&values)
    }

    /// Appends the elements to a `Vec`, whose room is used as far as it goes. Complete on return. Driver functions:
    /// `cuMemcpyDtoHAsync_v2`, `cuStreamSynchronize`.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![3u8, 4]?;
    /// let mut all = vec![1, 2];
    /// dev.append_to(&mut all)?;
    /// assert_eq!(all, [1, 2, 3, 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Self::to_vec). The `Vec` is then as it was, but for its capacity.
    #[track_caller]
    pub fn append_to(&self, vec: &mut Vec<T>) -> Result<()> {
        reserve(vec, self.len())?;
        let room = HostDestination::of_uninit(&mut vec.spare_capacity_mut()[..self.len()]);
        download::download(&room, self, Order::Now)?;
        // SAFETY: there is room for as many more, and the download wrote as many values of `T`, checked.
        unsafe { vec.set_len(vec.len() + self.len()) };
        Ok(())
    }
}
