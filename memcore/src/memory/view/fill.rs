//! Fills of views.

use bytemuck::Zeroable;

use super::View;
use super::grid::Grid;
use crate::__private::Fill;
use crate::copy::{self, Extent, Mode, Order, RowFill};
use crate::error::{Error, Result};
use crate::memory::{DeviceCopy, DeviceSlice};

impl<const D: usize> Grid<D> {
    /// The fill of device memory with `value`, of whose length the elements' is a multiple, or of an array with rows of
    /// `value`; `None` where there are no bytes.
    ///
    /// # Safety
    ///
    /// An array lives.
    pub(crate) unsafe fn fill_with<'v>(&self, value: &'v [u8]) -> Option<RowFill<'v>> {
        let extent = self.extent();
        if extent.is_empty() || value.is_empty() {
            return None;
        }
        // SAFETY: the caller's contract.
        let place = unsafe { self.place(false) };
        Some(RowFill { place, value, extent })
    }
}

impl<T, const D: usize> View<&mut DeviceSlice<T>, D> {
    /// Writes `value` to every element. Complete on return. `fill!(view <- value)` is the same.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![0.0f64; 12]?;
    /// fill!(dev.as_2d_mut(4)?[1.., 1..3] <- 1.5)?;
    /// assert_eq!(dev[4..8].to_vec()?, [0.0, 1.5, 1.5, 0.0]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: one `cuMemsetD2D8Async`, `cuMemsetD2D16Async` or `cuMemsetD2D32Async` where the value's bytes
    /// repeat every 1, 2 or 4; else a fill of the first row as for [`DeviceSlice::fill`], which copies double to a slice
    /// (`cuMemcpy2DAsync_v2`). Slices with a gap between them are doubled by further copies (the same of one,
    /// `cuMemcpy3DAsync_v2` of more). Then `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn fill(&mut self, value: T) -> Result<()>
    where
        T: DeviceCopy,
    {
        self.write(bytemuck::bytes_of(&value), Order::Now)
    }

    /// Writes zeros to every element. Complete on return. Driver functions: as for [`set_8`](Self::set_8).
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn set_zero(&mut self) -> Result<()>
    where
        T: Zeroable,
    {
        self.write(&[0], Order::Now)
    }

    /// Writes `value` to every byte of the elements. Complete on return. Driver functions: as for [`fill`](Self::fill) with
    /// a value of 1 byte.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![0u32; 4]?;
    /// dev.as_2d_mut(2)?.window(.., 1)?.set_8(0x11)?;
    /// assert_eq!(dev.to_vec()?, [0, 0x1111_1111, 0, 0x1111_1111]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code.
    #[track_caller]
    pub fn set_8(&mut self, value: u8) -> Result<()> {
        self.write(&[value], Order::Now)
    }

    /// Writes `value` to every two bytes of the elements. Complete on return. Driver functions: as for [`fill`](Self::fill)
    /// with a value of 2 bytes.
    ///
    /// # Errors
    ///
    /// [`Error::MisalignedSet`] if the address, the pitch or the bytes of a row are no multiples of 2; the driver's code.
    #[track_caller]
    pub fn set_16(&mut self, value: u16) -> Result<()> {
        self.aligned_to(2)?;
        self.write(&value.to_ne_bytes(), Order::Now)
    }

    /// Writes `value` to every four bytes of the elements. Complete on return. Driver functions: as for [`fill`](Self::fill)
    /// with a value of 4 bytes.
    ///
    /// # Errors
    ///
    /// [`Error::MisalignedSet`] if the address, the pitch or the bytes of a row are no multiples of 4; the driver's code.
    #[track_caller]
    pub fn set_32(&mut self, value: u32) -> Result<()> {
        self.aligned_to(4)?;
        self.write(&value.to_ne_bytes(), Order::Now)
    }

    fn aligned_to(&self, unit: usize) -> Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let Extent { width: size, rows, slices } = self.grid.extent();
        let (address, rows_are) = (self.grid.address(), self.grid.pitch().is_multiple_of(unit) || rows * slices == 1);
        if rows_are && address.is_multiple_of(unit as u64) && size.is_multiple_of(unit) {
            return Ok(());
        }
        Err(Error::MisalignedSet { address, size, unit })
    }

    #[track_caller]
    fn write(&mut self, value: &[u8], order: Order<'_>) -> Result<()> {
        // SAFETY: it is no array.
        let Some(fill) = (unsafe { self.grid.fill_with(value) }) else { return Ok(()) };
        // SAFETY: the memory is borrowed exclusively, so its context stays open.
        let context = unsafe { self.grid.context()? };
        // SAFETY: the rows are borrowed exclusively for this call, which waits.
        unsafe { copy::fill_rows(context, fill, Mode::Waited(order)) }
    }
}

impl<T: DeviceCopy, const D: usize> Fill<T> for View<&mut DeviceSlice<T>, D> {
    #[track_caller]
    fn fill(mut self, value: T, order: Order<'_>) -> Result<()> {
        self.write(bytemuck::bytes_of(&value), order)
    }
}

impl<T: DeviceCopy, const D: usize> Fill<T> for View<&mut [T], D> {
    #[track_caller]
    fn fill(self, value: T, _order: Order<'_>) -> Result<()> {
        // SAFETY: host memory of `T`s, borrowed exclusively.
        unsafe { self.grid.fill(value) };
        Ok(())
    }
}
