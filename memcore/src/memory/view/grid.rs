//! The geometry of views: extents, pitches and windows.

use core::ops::Range;

use crate::context::{Inner, context_of};
use crate::copy::{Extent, Memory, Place};
use crate::error::{Error, Result};
use crate::memory::DeviceIndex;
use crate::memory::array::ArrayPlace;
use crate::memory::size::bytes_of;

/// Elements in rows, in slices of rows: `D` is 2 or 3, and extents go from the slowest axis to the fastest.
///
/// INVARIANT: no row goes past the pitch and no slice past the height, so that no two overlap; the bytes from the first
/// element to the last are at most `isize::MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grid<const D: usize> {
    /// The first element's. Of an array, which has no addresses, it counts from the first element of all, as if its rows and
    /// slices followed each other.
    address: u64,
    extents: [usize; D],
    /// Bytes from one row to the next.
    pitch: usize,
    /// Rows from one slice to the next; in 2-D the rows.
    height: usize,
    element: usize,
    /// The array, if it is one.
    array: Option<ArrayPlace>,
}

impl<const D: usize> Grid<D> {
    /// Rows `pitch` bytes apart and slices `height` rows apart, of elements of `T` from `address` on.
    ///
    /// The caller answers for the invariant.
    pub(crate) const fn new<T>(address: u64, extents: [usize; D], pitch: usize, height: usize) -> Self {
        Self { address, extents, pitch, height, element: size_of::<T>(), array: None }
    }

    /// Rows `pitch` elements apart and slices `height` rows apart, in `len` elements of `T` from `address` on.
    pub(crate) fn in_slice<T>(
        address: u64,
        len: usize,
        extents: [usize; D],
        (pitch, height): (usize, usize),
    ) -> Result<Self> {
        let error = |reason| Error::InvalidShape { len, extents: padded(extents), reason };
        let [slices, rows, width] = padded(extents);
        if width > pitch {
            return Err(error("a row is longer than the pitch"));
        }
        if rows > height {
            return Err(error("a slice has more rows than its height"));
        }
        let is_empty = extents.contains(&0);
        let last = || {
            let row = (slices - 1).checked_mul(height)?.checked_add(rows - 1)?;
            row.checked_mul(pitch)?.checked_add(width)
        };
        if !is_empty && last().is_none_or(|end| end > len) {
            return Err(error("the elements end before the last row does"));
        }
        // INVARIANT: just checked; the pitch of one row may be any, and its bytes are those of a row then.
        let pitch = if rows.saturating_mul(slices) <= 1 { width } else { pitch };
        Ok(Self::new::<T>(address, extents, bytes_of::<T>(pitch)?, height))
    }

    /// All of `len` elements of `T` from `address` on, row after row, where the extents but the slowest are given.
    pub(crate) fn packed<T>(address: u64, len: usize, fast: &[usize]) -> Result<Self> {
        let mut extents = [0; D];
        extents[1..].copy_from_slice(fast);
        let error = |reason| Error::InvalidShape { len, extents: padded(extents), reason };
        let part = fast.iter().try_fold(1_usize, |part, extent| part.checked_mul(*extent));
        let part = part.ok_or(error("the extents overflow"))?;
        extents[0] = match (len, part) {
            (0, _) => 0,
            (_, 0) => return Err(error("there are elements, and rows have none")),
            _ if !len.is_multiple_of(part) => return Err(error("the last row or slice is not full")),
            _ => len / part,
        };
        let [_, rows, width] = padded(extents);
        Self::in_slice::<T>(address, len, extents, (width, rows))
    }

    /// The context of the memory.
    ///
    /// # Safety
    ///
    /// The grid is of device memory, whose context stays open for `'a`, or of an array, which lives that long.
    pub(crate) unsafe fn context<'a>(&self) -> Result<&'a Inner> {
        match self.array {
            // SAFETY: the caller's contract.
            Some(array) => Ok(unsafe { array.context() }),
            // SAFETY: the caller's contract.
            None => unsafe { context_of(self.address) },
        }
    }

    pub(crate) const fn is_array(&self) -> bool {
        self.array.is_some()
    }

    pub(crate) const fn address(&self) -> u64 {
        self.address
    }

    pub(crate) const fn extents(&self) -> [usize; D] {
        self.extents
    }

    pub(crate) const fn pitch(&self) -> usize {
        self.pitch
    }

    pub(crate) const fn height(&self) -> usize {
        self.height
    }

    /// How many elements there are.
    pub(crate) fn len(&self) -> usize {
        // What comes before a 0 may overflow.
        if self.extents.contains(&0) { 0 } else { self.extents.iter().product() }
    }

    /// Whether there are no bytes.
    pub(crate) fn is_empty(&self) -> bool {
        self.element == 0 || self.extents.contains(&0)
    }

    /// Slices, rows and elements of a row.
    pub(crate) fn shape(&self) -> [usize; 3] {
        padded(self.extents)
    }

    pub(crate) fn extent(&self) -> Extent {
        let [slices, rows, width] = self.shape();
        // Beside an extent of 0 it may overflow, and counts for nothing.
        Extent { width: width.wrapping_mul(self.element), rows, slices }
    }

    /// The same rows as slices of them.
    pub(crate) fn in_3d(&self) -> Grid<3> {
        let Self { address, pitch, height, element, array, .. } = *self;
        // INVARIANT: the same rows.
        Grid { address, extents: self.shape(), pitch, height, element, array }
    }

    /// The same rows in device memory or an array, or in the host's, whose provenance is exposed. There are some.
    ///
    /// # Safety
    ///
    /// An array lives.
    pub(crate) unsafe fn place(&self, is_host: bool) -> Place {
        let memory = match self.array {
            Some(array) => {
                let begin = self.address as usize;
                let (x, row) = (begin % self.pitch, begin / self.pitch);
                let at = [x, row % self.height, row / self.height];
                // SAFETY: the caller's contract.
                let (array, has_layers) = unsafe { array.handle() };
                Memory::Array { array, has_layers, at }
            }
            None if is_host => Memory::Host(core::ptr::with_exposed_provenance_mut(self.address as usize)),
            None => Memory::Device(self.address),
        };
        Place { memory, pitch: self.pitch, height: self.height }
    }

    /// The part of an axis, which is counted from the fastest.
    fn part(self, axis: usize, range: Range<usize>) -> Self {
        let apart = [self.element, self.pitch, self.pitch.wrapping_mul(self.height)][axis];
        let mut extents = self.extents;
        extents[D - 1 - axis] = range.len();
        // INVARIANT: a part of what was there. Where there is nothing the address is not used, and may wrap.
        let address = self.address.wrapping_add(range.start.wrapping_mul(apart) as u64);
        Self { address, extents, ..self }
    }

    /// The part of an axis that an index means.
    pub(crate) fn window<I: DeviceIndex + Clone>(self, axis: usize, index: I) -> Result<Self> {
        let extent = self.extents[D - 1 - axis];
        let outside = |(start, end)| Error::WindowOutside { axis: AXES[axis], start, end, extent };
        let asked = index.clone().bounds(extent);
        index.resolve(extent).map(|range| self.part(axis, range)).ok_or_else(|| outside(asked))
    }

    /// What lies before a position of an axis, and what lies from it on.
    pub(crate) fn split(self, axis: usize, middle: usize) -> Result<[Self; 2]> {
        Ok([self.window(axis, ..middle)?, self.window(axis, middle..)?])
    }
}

impl Grid<2> {
    /// The same rows in slices of `height`.
    pub(crate) fn in_slices_of(self, height: usize) -> Result<Grid<3>> {
        let [rows, width] = self.extents;
        if self.array.is_some() {
            let reason = "the rows of an array are no slices";
            return Err(Error::InvalidShape { len: self.len(), extents: padded([rows, width]), reason });
        }
        let slices = if rows == 0 { Some(0) } else { rows.checked_div(height).filter(|_| rows.is_multiple_of(height)) };
        let reason = "the rows are no multiple of a slice's";
        let slices = slices.ok_or(Error::InvalidShape { len: self.len(), extents: padded([rows, width]), reason })?;
        // INVARIANT: the same rows.
        Ok(Grid {
            address: self.address,
            extents: [slices, height, width],
            pitch: self.pitch,
            height,
            element: self.element,
            array: None,
        })
    }
}

impl Grid<3> {
    /// All elements of an array, which are `T`s.
    pub(crate) const fn of_array<T>(array: ArrayPlace, extents: [usize; 3]) -> Self {
        let [_, rows, width] = extents;
        Self { array: Some(array), ..Self::new::<T>(0, extents, width * size_of::<T>(), rows) }
    }

    /// As many elements of `T` one after another, from an address on.
    pub(crate) fn in_a_run<T>(&self, address: u64) -> Self {
        let [_, rows, width] = self.extents;
        Self::new::<T>(address, self.extents, width * size_of::<T>(), rows)
    }

    /// One slice.
    pub(crate) fn slice(self, index: usize) -> Result<Grid<2>> {
        let Self { address, extents: [_, rows, width], pitch, height, element, array } = self.window(2, index)?;
        // INVARIANT: some of the rows.
        Ok(Grid { address, extents: [rows, width], pitch, height, element, array })
    }
}

/// What the elements of each axis are called, from the fastest.
const AXES: [&str; 3] = ["columns", "rows", "slices"];

/// Slices, rows and elements of a row.
fn padded<const D: usize>(extents: [usize; D]) -> [usize; 3] {
    let mut all = [1; 3];
    all[3 - D..].copy_from_slice(&extents);
    all
}

/// Refuses sides of different extents.
pub(crate) fn same_shape<const D: usize>(destination: &Grid<D>, source: &Grid<D>) -> Result<()> {
    let (destination_extents, source_extents) = (destination.shape(), source.shape());
    if destination_extents == source_extents {
        return Ok(());
    }
    Err(Error::ShapeMismatch { destination_extents, source_extents })
}
