//! Views of slices.

use super::View;
use super::grid::Grid;
use crate::error::Result;
use crate::memory::DeviceSlice;

/// Writes the constructors of views of something that knows its address and length.
macro_rules! as_views {
    ($(#[$example:meta])* [$($vis:tt)*] |$it:ident| $address:expr, $address_mut:expr, $len:expr; $shared:ty, $exclusive:ty, $element:ty) => {
        /// All elements, in rows of `width`.
        ///
        $(#[$example])*
        /// # Errors
        ///
        /// [`Error::InvalidShape`](crate::Error::InvalidShape) if the length is no multiple of `width`.
        $($vis)* fn as_2d(&self, width: usize) -> Result<View<$shared, 2>> {
            let $it = self;
            let grid = Grid::packed::<$element>($address, $len, &[width])?;
            // SAFETY: elements of this memory, borrowed as it is.
            Ok(unsafe { View::from_grid(grid) })
        }

        /// All elements, in rows of `width`, mutably.
        ///
        /// # Errors
        ///
        /// As [`as_2d`](Self::as_2d).
        $($vis)* fn as_2d_mut(&mut self, width: usize) -> Result<View<$exclusive, 2>> {
            let $it = self;
            let grid = Grid::packed::<$element>($address_mut, $len, &[width])?;
            // SAFETY: elements of this memory, borrowed as it is.
            Ok(unsafe { View::from_grid(grid) })
        }

        /// All elements, in slices of `[rows, columns]`.
        ///
        /// ```
        /// use memcore::prelude::*;
        ///
        /// let dev = device_vec![1u8, 2, 3, 4, 5, 6, 7, 8]?;
        /// let slices = dev.as_3d([1, 4])?;
        /// assert_eq!((slices.extents(), slices.slice(1)?.to_vec()?), ([2, 1, 4], vec![5, 6, 7, 8]));
        /// # Ok::<(), memcore::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        /// [`Error::InvalidShape`](crate::Error::InvalidShape) if the length is no multiple of a slice's.
        $($vis)* fn as_3d(&self, [rows, columns]: [usize; 2]) -> Result<View<$shared, 3>> {
            let $it = self;
            let grid = Grid::packed::<$element>($address, $len, &[rows, columns])?;
            // SAFETY: elements of this memory, borrowed as it is.
            Ok(unsafe { View::from_grid(grid) })
        }

        /// All elements, in slices of `[rows, columns]`, mutably.
        ///
        /// # Errors
        ///
        /// As [`as_3d`](Self::as_3d).
        $($vis)* fn as_3d_mut(&mut self, [rows, columns]: [usize; 2]) -> Result<View<$exclusive, 3>> {
            let $it = self;
            let grid = Grid::packed::<$element>($address_mut, $len, &[rows, columns])?;
            // SAFETY: elements of this memory, borrowed as it is.
            Ok(unsafe { View::from_grid(grid) })
        }

        /// `[rows, columns]` from the first element on, where rows lie `pitch` elements apart.
        ///
        /// ```
        /// use memcore::prelude::*;
        ///
        /// let dev = device_vec![1u8, 2, 0, 3, 4, 0, 5, 6]?;
        /// assert_eq!(dev.as_2d_pitched([3, 2], 3)?.to_vec()?, [1, 2, 3, 4, 5, 6]);
        /// # Ok::<(), memcore::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        /// [`Error::InvalidShape`](crate::Error::InvalidShape) if the pitch is less than the columns, or the last row ends
        /// past the last element.
        $($vis)* fn as_2d_pitched(&self, extents: [usize; 2], pitch: usize) -> Result<View<$shared, 2>> {
            let $it = self;
            let grid = Grid::in_slice::<$element>($address, $len, extents, (pitch, extents[0]))?;
            // SAFETY: elements of this memory, borrowed as it is.
            Ok(unsafe { View::from_grid(grid) })
        }

        /// As [`as_2d_pitched`](Self::as_2d_pitched), mutably.
        ///
        /// # Errors
        ///
        /// As [`as_2d_pitched`](Self::as_2d_pitched).
        $($vis)* fn as_2d_pitched_mut(&mut self, extents: [usize; 2], pitch: usize) -> Result<View<$exclusive, 2>> {
            let $it = self;
            let grid = Grid::in_slice::<$element>($address_mut, $len, extents, (pitch, extents[0]))?;
            // SAFETY: elements of this memory, borrowed as it is.
            Ok(unsafe { View::from_grid(grid) })
        }

        /// `[slices, rows, columns]` from the first element on, where slices lie `slice_pitch_in_rows` rows apart and rows
        /// `pitch` elements.
        ///
        /// ```
        /// use memcore::prelude::*;
        ///
        /// // The first two rows of each three, which lie three elements apart.
        /// let dev = device_vec![1u8, 2, 0, 3, 4, 0, 0, 0, 0, 5, 6, 0, 7, 8]?;
        /// assert_eq!(dev.as_3d_pitched([2, 2, 2], [3, 3])?.to_vec()?, [1, 2, 3, 4, 5, 6, 7, 8]);
        /// # Ok::<(), memcore::Error>(())
        /// ```
        ///
        /// # Errors
        ///
        /// [`Error::InvalidShape`](crate::Error::InvalidShape) if the pitch is less than the columns or the slice pitch less
        /// than the rows, or the last row ends past the last element.
        $($vis)* fn as_3d_pitched(&self, extents: [usize; 3], [slice_pitch_in_rows, pitch]: [usize; 2]) -> Result<View<$shared, 3>> {
            let $it = self;
            let grid = Grid::in_slice::<$element>($address, $len, extents, (pitch, slice_pitch_in_rows))?;
            // SAFETY: elements of this memory, borrowed as it is.
            Ok(unsafe { View::from_grid(grid) })
        }

        /// As [`as_3d_pitched`](Self::as_3d_pitched), mutably.
        ///
        /// # Errors
        ///
        /// As [`as_3d_pitched`](Self::as_3d_pitched).
        $($vis)* fn as_3d_pitched_mut(
            &mut self,
            extents: [usize; 3],
            [slice_pitch_in_rows, pitch]: [usize; 2],
        ) -> Result<View<$exclusive, 3>> {
            let $it = self;
            let grid = Grid::in_slice::<$element>($address_mut, $len, extents, (pitch, slice_pitch_in_rows))?;
            // SAFETY: elements of this memory, borrowed as it is.
            Ok(unsafe { View::from_grid(grid) })
        }
    };
}
pub(crate) use as_views;

impl<T> DeviceSlice<T> {
    as_views! {
        /// ```
        /// use memcore::prelude::*;
        ///
        /// let dev = device_vec![1u8, 2, 3, 4, 5, 6]?;
        /// let columns = dev.as_2d(3)?.window(.., 1..)?;
        /// assert_eq!(columns.to_vec()?, [2, 3, 5, 6]);
        /// assert!(dev.as_2d(4).is_err());
        /// # Ok::<(), memcore::Error>(())
        /// ```
        ///
        [pub] |it| it.address(), it.address(), it.len(); &DeviceSlice<T>, &mut DeviceSlice<T>, T
    }
}

/// Views of host memory in rows: of slices, arrays, `Vec`, [`LockedBuffer`](crate::LockedBuffer),
/// [`UnifiedBuffer`](crate::UnifiedBuffer) and whatever else derefs to a slice.
///
/// Sealed.
pub trait AsView: sealed::Sealed {
    /// The element type.
    type Element;

    /// Address, exposed to the device, and length.
    #[doc(hidden)]
    fn __place(&self) -> (u64, usize);

    /// Address, exposed to the device, and length.
    #[doc(hidden)]
    fn __place_mut(&mut self) -> (u64, usize);

    as_views! {
        /// ```
        /// use memcore::prelude::*;
        ///
        /// let host = [1u8, 2, 3, 4, 5, 6];
        /// let mut dev = device_vec![0u8; 4]?;
        /// copy!(dev.as_2d_mut(2)? <- host.as_2d(3)?[.., 1..])?;
        /// assert_eq!(dev.to_vec()?, [2, 3, 5, 6]);
        /// # Ok::<(), memcore::Error>(())
        /// ```
        ///
        [] |it| it.__place().0, it.__place_mut().0, it.__place().1; &[Self::Element], &mut [Self::Element], Self::Element
    }
}

mod sealed {
    pub trait Sealed {}

    impl<T> Sealed for [T] {}
}

impl<T> AsView for [T] {
    type Element = T;

    fn __place(&self) -> (u64, usize) {
        (self.as_ptr().expose_provenance() as u64, self.len())
    }

    fn __place_mut(&mut self) -> (u64, usize) {
        (self.as_mut_ptr().expose_provenance() as u64, self.len())
    }
}
