//! Positions and ranges in device slices.

use core::ops::{
    Bound, Index, IndexMut, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

use super::DeviceSlice;

/// What a device slice can be indexed by: a position, which gives a slice of one element, or any range.
///
/// Sealed: `usize`, the ranges of `usize`, and pairs of [`Bound`]s.
pub trait DeviceIndex: sealed::Sealed {
    /// The range meant in a slice of `len` elements, if it lies inside.
    #[doc(hidden)]
    fn resolve(self, len: usize) -> Option<Range<usize>>;

    /// Start and end as asked for, for an error; what is past `usize::MAX` is given as that.
    #[doc(hidden)]
    fn bounds(self, len: usize) -> (usize, usize);

    /// Panics with what is wrong with an index that [`resolve`](Self::resolve) rejected.
    #[doc(hidden)]
    fn reject(self, len: usize) -> !;
}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for usize {}

impl DeviceIndex for usize {
    fn resolve(self, len: usize) -> Option<Range<usize>> {
        (self < len).then(|| self..self + 1)
    }

    fn bounds(self, _len: usize) -> (usize, usize) {
        (self, self.saturating_add(1))
    }

    #[track_caller]
    fn reject(self, len: usize) -> ! {
        panic!("index {self} is out of range for a device slice of length {len}")
    }
}

/// Start and end as numbers; `None` where an end past `usize::MAX` is meant.
fn ends(range: &impl RangeBounds<usize>, len: usize) -> (Option<usize>, Option<usize>) {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&start) => start.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    (start, end)
}

macro_rules! ranges {
    ($($range:ty),*) => {$(
        impl sealed::Sealed for $range {}

        impl DeviceIndex for $range {
            fn resolve(self, len: usize) -> Option<Range<usize>> {
                let (start, end) = ends(&self, len);
                let (start, end) = (start?, end?);
                (start <= end && end <= len).then_some(start..end)
            }

            fn bounds(self, len: usize) -> (usize, usize) {
                let (start, end) = ends(&self, len);
                (start.unwrap_or(usize::MAX), end.unwrap_or(usize::MAX))
            }

            #[track_caller]
            fn reject(self, len: usize) -> ! {
                match ends(&self, len) {
                    (Some(start), Some(end)) if start > end => {
                        panic!("range {start}..{end} starts after its end, in a device slice of length {len}")
                    }
                    (Some(start), Some(end)) => {
                        panic!("range {start}..{end} is out of range for a device slice of length {len}")
                    }
                    _ => panic!("a range to usize::MAX is out of range for a device slice of length {len}"),
                }
            }
        }
    )*};
}

ranges!(
    Range<usize>,
    RangeFrom<usize>,
    RangeTo<usize>,
    RangeFull,
    RangeInclusive<usize>,
    RangeToInclusive<usize>,
    (Bound<usize>, Bound<usize>)
);

impl<T> DeviceSlice<T> {
    /// The elements of a position or range, or `None` if it does not lie inside.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![1u8, 2, 3]?;
    /// assert_eq!(dev.get(1..).unwrap().to_vec()?, [2, 3]);
    /// assert!(dev.get(4..).is_none());
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn get(&self, index: impl DeviceIndex) -> Option<&Self> {
        let range = index.resolve(self.len())?;
        // SAFETY: `resolve` keeps the range inside, and the part is borrowed as the whole is.
        Some(unsafe { Self::from_raw_parts(self.as_device_ptr().add(range.start), range.len()) })
    }

    /// The elements of a position or range, mutably, or `None` if it does not lie inside.
    #[must_use]
    pub fn get_mut(&mut self, index: impl DeviceIndex) -> Option<&mut Self> {
        let range = index.resolve(self.len())?;
        // SAFETY: `resolve` keeps the range inside, and the part is borrowed as the whole is.
        Some(unsafe { Self::from_raw_parts_mut(self.as_device_ptr().add(range.start), range.len()) })
    }
}

/// A position gives a slice of one element.
///
/// # Panics
///
/// If the index does not lie inside, or a range starts after its end.
impl<T, I: DeviceIndex + Clone> Index<I> for DeviceSlice<T> {
    type Output = Self;

    #[track_caller]
    fn index(&self, index: I) -> &Self {
        match self.get(index.clone()) {
            Some(part) => part,
            None => index.reject(self.len()),
        }
    }
}

/// A position gives a slice of one element.
///
/// # Panics
///
/// If the index does not lie inside, or a range starts after its end.
impl<T, I: DeviceIndex + Clone> IndexMut<I> for DeviceSlice<T> {
    #[track_caller]
    fn index_mut(&mut self, index: I) -> &mut Self {
        let len = self.len();
        match self.get_mut(index.clone()) {
            Some(part) => part,
            None => index.reject(len),
        }
    }
}
