//! Fills of arrays.

use super::ArrayObject;
use super::element::ArrayElement;
use crate::__private::Fill;
use crate::copy::{self, Mode, Order};
use crate::error::{Error, Result};
use crate::memory::View;

impl<T: ArrayElement, const D: usize> View<&mut ArrayObject<T>, D> {
    /// Writes `value` to every element. Complete on return. `fill!(view <- value)` is the same.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut image = ArrayObject::<[u8; 4]>::zeroed([2, 3])?;
    /// fill!(image[1, 1..] <- [1, 2, 3, 4])?;
    /// assert_eq!(image.to_vec()?[4..], [[1, 2, 3, 4]; 2]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: `cuMemcpy2DAsync_v2` of a row of the host's, doubled by more of it, and by `cuMemcpy3DAsync_v2` to
    /// several slices; of layers and faces, each is filled so by itself, from the second on by `cuMemcpy3DAsync_v2`;
    /// `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::HostAllocation`] if there is no room for a row; the driver's code.
    #[track_caller]
    pub fn fill(&mut self, value: T) -> Result<()> {
        self.write(value, Order::Now)
    }

    /// Writes zeros to every element. Complete on return. Driver functions: as for [`fill`](Self::fill).
    ///
    /// # Errors
    ///
    /// As [`fill`](Self::fill).
    #[track_caller]
    pub fn set_zero(&mut self) -> Result<()> {
        self.write(T::zeroed(), Order::Now)
    }

    #[track_caller]
    fn write(&mut self, value: T, order: Order<'_>) -> Result<()> {
        if self.grid.is_empty() {
            return Ok(());
        }
        let [_, _, width] = self.grid.shape();
        let mut row = Vec::new();
        let requested = (width * size_of::<T>()) as u64;
        row.try_reserve_exact(width).map_err(|_| Error::HostAllocation { requested })?;
        row.resize(width, value);
        // SAFETY: the array is borrowed exclusively, so it lives.
        let fill = unsafe { self.grid.fill_with(bytemuck::cast_slice(&row)) };
        let Some(fill) = fill else { return Ok(()) };
        // SAFETY: as above.
        let context = unsafe { self.grid.context()? };
        // SAFETY: the elements are borrowed exclusively for this call, which waits, so that the row stays.
        unsafe { copy::fill_rows(context, fill, Mode::Waited(order)) }
    }
}

impl<T: ArrayElement, const D: usize> Fill<T> for View<&mut ArrayObject<T>, D> {
    #[track_caller]
    fn fill(mut self, value: T, order: Order<'_>) -> Result<()> {
        self.write(value, order)
    }
}
