//! Views of memory in rows, and in slices of rows.

mod fill;
pub(crate) mod grid;
mod host;
mod make;
mod memory;
mod operand;
mod pair;

pub use make::AsView;
pub(crate) use make::as_views;
pub use memory::{ViewMemory, ViewMemoryMut};
pub(crate) use memory::{sealed, view_memory};
pub use operand::Window;
pub(crate) use pair::{Direction, copy_grid, to_vec};

use core::fmt;
use core::marker::PhantomData;

use grid::Grid;

use super::pointer::DevicePointer;
use super::slice::{DeviceIndex, DeviceSlice};
use crate::error::Result;

/// Memory in rows of as many elements each: 2-D with `D` of 2, and with `D` of 3 in slices of as many rows each.
///
/// `M` is the reference to the memory that the view stands for, and whose lifetime and rights it has:
///
/// | `M` | made by |
/// |---|---|
/// | `&DeviceSlice<T>`, `&mut DeviceSlice<T>` | [`DeviceSlice::as_2d`], [`PitchedBuffer::as_view`](crate::PitchedBuffer::as_view) and their kin |
/// | `&[T]`, `&mut [T]` | [`AsView::as_2d`] and its kin, of slices, arrays, `Vec`, page-locked and unified buffers |
/// | `&ArrayObject<T>`, `&mut ArrayObject<T>` | [`ArrayObject::as_view`](crate::ArrayObject::as_view), in 3-D |
/// | `&Lent<..>`, `&mut Lent<..>` | `as_2d` of lent memory, [`Scope::lend_view`](crate::Scope::lend_view) |
///
/// Extents and positions go from the slowest axis to the fastest, `[slices, rows, columns]`, as indices of a nested array
/// do, and count elements. Rows may lie further apart than their elements reach ([`pitch_in_bytes`](Self::pitch_in_bytes)):
/// what lies between is never touched.
///
/// `copy!` and `fill!` take views, and windows of them, `view[rows, columns]` or `view[slices, rows, columns]`, where each
/// index is a range or one position.
///
/// ```
/// use memcore::prelude::*;
///
/// let host: Vec<u32> = (0..24).collect();
/// let mut image = PitchedBuffer::<u32>::zeroed([4, 6])?;
/// let mut all = image.as_view_mut();
/// copy!(all[1..3, 2..5] <- host.as_2d(6)?[1..3, 2..5])?;
/// fill!(all[3, ..] <- 7)?;
/// let row = |y: usize| image.as_view().window(y, ..)?.to_vec();
/// assert_eq!(row(0)?, [0; 6]);
/// assert_eq!(row(2)?, [0, 0, 14, 15, 16, 0]);
/// assert_eq!(row(3)?, [7; 6]);
/// # Ok::<(), memcore::Error>(())
/// ```
// INVARIANT: the elements of the grid are `M::Element`s in memory of the kind of `M`, which is borrowed as `M` is; they are
// valid and initialised as far as those behind an `M` are.
#[derive(Clone, Copy)]
pub struct View<M, const D: usize> {
    pub(crate) grid: Grid<D>,
    memory: PhantomData<M>,
}

/// Memory in rows; see [`View`].
pub type View2d<M> = View<M, 2>;

/// Memory in slices of rows; see [`View`].
pub type View3d<M> = View<M, 3>;

impl<M: ViewMemory, const D: usize> View<M, D> {
    /// # Safety
    ///
    /// The invariant of the type.
    pub(crate) const unsafe fn from_grid(grid: Grid<D>) -> Self {
        Self { grid, memory: PhantomData }
    }

    /// How many elements there are along each axis: `[rows, columns]`, or `[slices, rows, columns]`.
    #[must_use]
    pub fn extents(&self) -> [usize; D] {
        self.grid.extents()
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.grid.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.extents().contains(&0)
    }

    /// How many bytes one row lies behind the one before. Of a single row it is a row's.
    #[must_use]
    pub fn pitch_in_bytes(&self) -> usize {
        self.grid.pitch()
    }

    /// The view for as long as `self` is borrowed, to be read.
    #[must_use]
    pub fn as_shared(&self) -> View<M::Shared<'_>, D> {
        // SAFETY: the same elements, borrowed as `self` is.
        unsafe { View::from_grid(self.grid) }
    }

    /// The view for as long as `self` is borrowed.
    #[must_use]
    pub fn reborrow(&mut self) -> View<M::Exclusive<'_>, D>
    where
        M: ViewMemoryMut,
    {
        // SAFETY: the same elements, borrowed as `self` is.
        unsafe { View::from_grid(self.grid) }
    }

    /// The parts before and from `middle` on, along the axis that varies the slowest: the rows, or the slices.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![1u8; 12]?;
    /// let (mut top, bottom) = dev.as_2d_mut(4)?.split_at(1)?;
    /// fill!(top <- 9)?;
    /// copy!(top[.., ..2] <- bottom[1, 2..])?;
    /// assert_eq!(dev[..4].to_vec()?, [1, 1, 9, 9]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::WindowOutside`](crate::Error::WindowOutside) if `middle` is past the end.
    pub fn split_at(self, middle: usize) -> Result<(Self, Self)> {
        self.split(D - 1, middle)
    }

    /// The parts before and from `column` on, of every row.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut dev = device_vec![1u8, 2, 3, 4, 5, 6]?;
    /// let (mut left, right) = dev.as_2d_mut(3)?.split_at_column(1)?;
    /// copy!(left <- right[.., 1])?;
    /// assert_eq!(dev.to_vec()?, [3, 2, 3, 6, 5, 6]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::WindowOutside`](crate::Error::WindowOutside) if `column` is past the end.
    pub fn split_at_column(self, column: usize) -> Result<(Self, Self)> {
        self.split(0, column)
    }

    fn split(self, axis: usize, middle: usize) -> Result<(Self, Self)> {
        let [before, after] = self.grid.split(axis, middle)?;
        // SAFETY: a part of the elements, borrowed as all were.
        let before = unsafe { Self::from_grid(before) };
        // SAFETY: the other part, which overlaps the first nowhere.
        Ok((before, unsafe { Self::from_grid(after) }))
    }
}

impl<M: ViewMemory> View<M, 2> {
    /// The elements of some rows and columns.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![1u8, 2, 3, 4, 5, 6]?;
    /// let rows = dev.as_2d(3)?;
    /// assert_eq!(rows.window(.., 1..)?.to_vec()?, [2, 3, 5, 6]);
    /// assert_eq!(rows.window(1, 2)?.extents(), [1, 1]);
    /// assert!(rows.window(2, ..).is_err());
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::WindowOutside`](crate::Error::WindowOutside), with the range asked for and what there is.
    pub fn window<R, C>(self, rows: R, columns: C) -> Result<Self>
    where
        R: DeviceIndex + Clone,
        C: DeviceIndex + Clone,
    {
        let grid = self.grid.window(1, rows)?.window(0, columns)?;
        // SAFETY: some of the elements, borrowed as all were.
        Ok(unsafe { Self::from_grid(grid) })
    }

    /// The same rows in slices of `rows` each.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let slices = PitchedBuffer::from_slice(&[1u8, 2, 3, 4, 5, 6, 7, 8], 2)?;
    /// let slices = slices.as_view().in_slices_of(2)?;
    /// assert_eq!(slices.extents(), [2, 2, 2]);
    /// assert_eq!(slices.window(1, 0, ..)?.to_vec()?, [5, 6]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidShape`](crate::Error::InvalidShape) if the view has no multiple of `rows`, or is of an array.
    pub fn in_slices_of(self, rows: usize) -> Result<View<M, 3>> {
        let grid = self.grid.in_slices_of(rows)?;
        // SAFETY: the same elements, borrowed as they were.
        Ok(unsafe { View::from_grid(grid) })
    }
}

impl<M: ViewMemory> View<M, 3> {
    /// The elements of some slices, rows and columns.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![1u8, 2, 3, 4, 5, 6, 7, 8]?;
    /// assert_eq!(dev.as_3d([2, 2])?.window(1, .., 0)?.to_vec()?, [5, 7]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::WindowOutside`](crate::Error::WindowOutside), with the range asked for and what there is.
    pub fn window<S, R, C>(self, slices: S, rows: R, columns: C) -> Result<Self>
    where
        S: DeviceIndex + Clone,
        R: DeviceIndex + Clone,
        C: DeviceIndex + Clone,
    {
        let grid = self.grid.window(2, slices)?.window(1, rows)?.window(0, columns)?;
        // SAFETY: some of the elements, borrowed as all were.
        Ok(unsafe { Self::from_grid(grid) })
    }

    /// One slice.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![1u8, 2, 3, 4, 5, 6, 7, 8]?;
    /// let slice = dev.as_3d([2, 2])?.slice(1)?;
    /// assert_eq!((slice.extents(), slice.to_vec()?), ([2, 2], vec![5, 6, 7, 8]));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::WindowOutside`](crate::Error::WindowOutside) if there is no such slice.
    pub fn slice(self, index: usize) -> Result<View<M, 2>> {
        let grid = self.grid.slice(index)?;
        // SAFETY: some of the elements, borrowed as all were.
        Ok(unsafe { View::from_grid(grid) })
    }
}

impl<T> View<&DeviceSlice<T>, 2> {
    /// The elements of one row.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let rows = PitchedBuffer::from_slice(&[1u8, 2, 3, 4], 2)?;
    /// assert_eq!(rows.as_view().row(1)?.to_vec()?, [3, 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::WindowOutside`](crate::Error::WindowOutside) if there is no such row.
    pub fn row(&self, index: usize) -> Result<&DeviceSlice<T>> {
        let row = self.grid.window(1, index)?;
        // SAFETY: the elements of a row lie one after another, borrowed as all are.
        Ok(unsafe { DeviceSlice::from_raw_parts(DevicePointer::from_raw(row.address()), row.len()) })
    }
}

impl<T> View<&mut DeviceSlice<T>, 2> {
    /// The elements of one row, mutably.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut rows = PitchedBuffer::from_slice(&[1u8, 2, 3, 4], 2)?;
    /// rows.as_view_mut().row_mut(1)?.fill(9)?;
    /// assert_eq!(rows.to_vec()?, [1, 2, 9, 9]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::WindowOutside`](crate::Error::WindowOutside) if there is no such row.
    pub fn row_mut(&mut self, index: usize) -> Result<&mut DeviceSlice<T>> {
        let row = self.grid.window(1, index)?;
        // SAFETY: the elements of a row lie one after another, borrowed as all are.
        Ok(unsafe { DeviceSlice::from_raw_parts_mut(DevicePointer::from_raw(row.address()), row.len()) })
    }
}

/// Shows address, extents and pitch, not the elements.
impl<M: ViewMemory, const D: usize> fmt::Debug for View<M, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut view = f.debug_struct("View");
        if self.grid.is_array() {
            view.field("bytes_before", &self.grid.address());
        } else {
            view.field("address", &DevicePointer::<M::Element>::from_raw(self.grid.address()));
        }
        view.field("extents", &self.extents()).field("pitch_in_bytes", &self.pitch_in_bytes()).finish()
    }
}
