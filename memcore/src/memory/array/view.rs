//! Views of arrays, and arrays as operands.

use super::ArrayObject;
use super::element::ArrayElement;
use super::place::ArrayPlace;
use crate::copy::Order;
use crate::error::{Error, Result};
use crate::memory::operand::{ToDestination, ToSource};
use crate::memory::pair::Pair;
use crate::memory::view::grid::Grid;
use crate::memory::view::{to_vec, view_memory};
use crate::memory::{DeviceIndex, View, View3d, Window};

view_memory! {
    ['a, T: 'a] 'a, ArrayObject<T>, false;
}

impl<T> ArrayObject<T> {
    fn grid(&self) -> Grid<3> {
        // INVARIANT: the array's own extents, which the driver took.
        Grid::of_array::<T>(ArrayPlace::of(&self.array), self.extents())
    }

    /// All elements as `[slices, rows, columns]`, to be read.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let volume = ArrayObject::<f32>::filled(1.5, [4, 5, 6])?;
    /// assert_eq!(volume.as_view().window(1.., 2, ..)?.to_vec()?, [1.5; 18]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn as_view(&self) -> View3d<&Self> {
        // SAFETY: the elements, borrowed as `self` is; the owner stays where it is for as long.
        unsafe { View::from_grid(self.grid()) }
    }

    /// All elements as `[slices, rows, columns]`.
    #[must_use]
    pub fn as_view_mut(&mut self) -> View3d<&mut Self> {
        // SAFETY: the elements, borrowed as `self` is; the owner stays where it is for as long.
        unsafe { View::from_grid(self.grid()) }
    }

    /// The elements, row after row and slice after slice. Complete on return. Driver functions: `cuMemcpy2DAsync_v2`, or of
    /// several slices `cuMemcpy3DAsync_v2`; `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::HostAllocation`]; the driver's code.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>>
    where
        T: ArrayElement,
    {
        self.as_view().to_vec()
    }

    /// Copies all of `source`, which has as many elements, into the array: a host slice, array, `Vec` or page-locked buffer,
    /// device memory, or a view of the array's extents. Complete on return. `copy!(array <- source)` is the same.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut image = ArrayObject::<u16>::zeroed([2, 2])?;
    /// image.copy_from(&[1, 2, 3, 4])?;
    /// let mut back = [0; 4];
    /// image.copy_to(&mut back)?;
    /// assert_eq!(back, [1, 2, 3, 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: `cuMemcpy2DAsync_v2`, or of several slices `cuMemcpy3DAsync_v2`, or from another device
    /// `cuMemcpy3DPeerAsync`; `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::LengthMismatch`]; [`Error::ShapeMismatch`]; [`Error::DifferentDrivers`]; the driver's code.
    #[track_caller]
    pub fn copy_from<'a, S>(&'a mut self, source: S) -> Result<()>
    where
        S: ToSource,
        View3d<&'a mut Self>: Pair<S::Source>,
    {
        self.as_view_mut().copy(source.__as_copy_source(), Order::Now)
    }

    /// Copies all of the array into `destination`. Complete on return. `copy!(destination <- array)` is the same. Driver
    /// functions: as for [`copy_from`](Self::copy_from).
    ///
    /// # Errors
    ///
    /// As [`copy_from`](Self::copy_from).
    #[track_caller]
    pub fn copy_to<'a, D>(&'a self, destination: D) -> Result<()>
    where
        D: ToDestination,
        D::Destination: Pair<View3d<&'a Self>>,
    {
        destination.__as_copy_destination().copy(self.as_view(), Order::Now)
    }
}

impl<T: ArrayElement, const D: usize> View<&ArrayObject<T>, D> {
    /// The elements, row after row and slice after slice. Complete on return. Driver functions: `cuMemcpy2DAsync_v2`, or of
    /// several slices, or one that is not the first, `cuMemcpy3DAsync_v2`; `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::HostAllocation`]; the driver's code.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        // SAFETY: the array is borrowed as `self` is.
        unsafe { to_vec(&self.grid) }
    }
}

impl<'a, T: 'a> ToSource for &'a ArrayObject<T> {
    type Source = View3d<&'a ArrayObject<T>>;

    fn __as_copy_source(self) -> Self::Source {
        self.as_view()
    }
}

impl<'a, T: 'a> ToDestination for &'a mut ArrayObject<T> {
    type Destination = View3d<&'a mut ArrayObject<T>>;

    fn __as_copy_destination(self) -> Self::Destination {
        self.as_view_mut()
    }
}

macro_rules! windows_of_one_slice {
    ($([$($generics:tt)*] $memory:ty;)*) => {$(
        /// Of an array of one slice, as 2-D arrays are.
        #[diagnostic::do_not_recommend]
        impl<$($generics)* T, I: DeviceIndex + Clone, J: DeviceIndex + Clone> Window<(I, J)> for View<$memory, 3> {
            fn __window(self, (rows, columns): (I, J)) -> Result<Self> {
                let extents @ [slices, _, _] = self.extents();
                if slices != 1 {
                    let reason = "a window of several slices names them too: `[slices, rows, columns]`";
                    return Err(Error::InvalidShape { len: self.len(), extents, reason });
                }
                self.window(.., rows, columns)
            }
        }
    )*};
}
pub(crate) use windows_of_one_slice;

windows_of_one_slice! {
    ['a,] &'a ArrayObject<T>;
    ['a,] &'a mut ArrayObject<T>;
}
