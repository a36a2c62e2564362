//! What is copied, and how it is cut into pieces.

use core::ffi::c_void;

use crate::copy::operation::Operation;
use crate::copy::rows::RowCopy;
use crate::copy::{Extent, HostKind, Memory, Place};
use crate::driver::HostRows;
use crate::driver::ffi::CUdeviceptr;

/// A copy between memory of the host and a device's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostCopy {
    pub(super) is_upload: bool,
    /// Bytes one after the other, rather than rows.
    is_linear: bool,
    pub(super) host: Place,
    device: Place,
    extent: Extent,
}

// SAFETY: it names memory, and gives none: whoever uses an address answers for the thread.
unsafe impl Sync for HostCopy {}

/// A part of a copy: from its first slice, row and byte on, so much.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    slice: usize,
    row: usize,
    column: usize,
    pub(super) extent: Extent,
}

impl HostCopy {
    pub(super) fn upload(device: CUdeviceptr, host: *const c_void, bytes: usize) -> Self {
        Self::linear(true, host.cast_mut(), device, bytes)
    }

    pub(super) fn download(host: *mut c_void, device: CUdeviceptr, bytes: usize) -> Self {
        Self::linear(false, host, device, bytes)
    }

    fn linear(is_upload: bool, host: *mut c_void, device: CUdeviceptr, bytes: usize) -> Self {
        let place = |memory| Place { memory, pitch: bytes, height: 1 };
        let (host, device) = (place(Memory::Host(host)), place(Memory::Device(device)));
        Self { is_upload, is_linear: true, host, device, extent: Extent { width: bytes, rows: 1, slices: 1 } }
    }

    /// Of rows, which are not empty.
    pub(super) fn rows(is_upload: bool, host: Place, device: Place, extent: Extent) -> Self {
        Self { is_upload, is_linear: false, host, device, extent }
    }

    pub(super) fn bytes(&self) -> usize {
        self.extent.bytes()
    }

    /// The first byte on the host, and how many there are from it to the last one.
    pub(super) fn host_range(&self) -> (*mut u8, usize) {
        (self.host.memory.host().cast(), self.extent.reach(&self.host))
    }

    /// What it reads or writes on the host, without what lies between rows.
    pub(super) fn host_rows(&self) -> HostRows {
        let Extent { width, rows, slices } = self.extent;
        let Place { memory, pitch, height } = self.host;
        let start = memory.host().addr() as u64;
        HostRows { start, shape: [width, rows, slices], pitch, height, is_written: !self.is_upload }
    }

    /// How many parts of at most `most` bytes there are.
    pub(super) fn parts(&self, most: usize) -> usize {
        parts(self.extent, most)
    }

    /// The part of this number, of [`parts`](Self::parts).
    pub(super) fn part(&self, number: usize, most: usize) -> Part {
        part(self.extent, number, most)
    }

    /// Where a part begins on the host.
    pub(super) fn host_part(&self, part: Part) -> *mut u8 {
        self.host.at(part.column, part.row, part.slice).memory.host().cast()
    }

    /// The device's copy of a part, between its memory and page-locked memory, in which it lies without gaps.
    pub(super) fn operation(&self, part: Part, staging: *mut c_void) -> Operation<'static> {
        let device = self.device.at(part.column, part.row, part.slice);
        let (kind, bytes) = (HostKind::HostVisible, part.extent.width);
        match (self.is_linear, self.is_upload) {
            (true, true) => Operation::Upload { dst: device.memory.device(), src: staging, kind, bytes },
            (true, false) => Operation::Download { dst: staging, kind, src: device.memory.device(), bytes },
            (false, _) => {
                let packed =
                    Place { memory: Memory::Host(staging), pitch: part.extent.width, height: part.extent.rows };
                let (to, from) = if self.is_upload { (device, packed) } else { (packed, device) };
                Operation::Rows(RowCopy { to, from, extent: part.extent })
            }
        }
    }
}

/// How many parts of at most `most` bytes an extent has.
fn parts(all: Extent, most: usize) -> usize {
    let shape = shape(all, most);
    all.slices.div_ceil(shape.slices) * all.rows.div_ceil(shape.rows) * all.width.div_ceil(shape.width)
}

/// The extent of a part that is not cut short by an edge: several slices, or several rows of one, or bytes of one row.
fn shape(all: Extent, most: usize) -> Extent {
    let Extent { width, rows, slices } = all;
    if width > most {
        return Extent { width: most, rows: 1, slices: 1 };
    }
    if width * rows > most {
        return Extent { width, rows: most / width, slices: 1 };
    }
    Extent { width, rows, slices: slices.min(most / (width * rows)) }
}

/// The part of this number, of [`parts`].
fn part(all: Extent, number: usize, most: usize) -> Part {
    let shape = shape(all, most);
    let per_row = all.width.div_ceil(shape.width);
    let per_slice = all.rows.div_ceil(shape.rows) * per_row;
    let slice = number / per_slice * shape.slices;
    let row = number % per_slice / per_row * shape.rows;
    let column = number % per_row * shape.width;
    let extent = Extent {
        width: shape.width.min(all.width - column),
        rows: shape.rows.min(all.rows - row),
        slices: shape.slices.min(all.slices - slice),
    };
    Part { slice, row, column, extent }
}

impl Part {
    /// How many steps of at most `most` bytes it has.
    pub(super) fn steps(self, most: usize) -> usize {
        parts(self.extent, most)
    }

    /// The step of this number, and at which byte it lies where the part lies without gaps.
    pub(super) fn step(self, number: usize, most: usize) -> (Self, usize) {
        let step = part(self.extent, number, most);
        let offset = (step.slice * self.extent.rows + step.row) * self.extent.width + step.column;
        let (slice, row, column) = (self.slice + step.slice, self.row + step.row, self.column + step.column);
        (Self { slice, row, column, ..step }, offset)
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, HostCopy, Memory, Part, Place};

    fn copy_of(width: usize, rows: usize, slices: usize) -> HostCopy {
        let place = |memory| Place { memory, pitch: width + 3, height: rows + 2 };
        let extent = Extent { width, rows, slices };
        HostCopy::rows(true, place(Memory::Host(core::ptr::null_mut())), place(Memory::Device(0)), extent)
    }

    /// Adds one to each byte of a part.
    fn cover(covered: &mut [u8], all: Extent, part: Part) {
        for slice in part.slice..part.slice + part.extent.slices {
            for row in part.row..part.row + part.extent.rows {
                for column in part.column..part.column + part.extent.width {
                    covered[(slice * all.rows + row) * all.width + column] += 1;
                }
            }
        }
    }

    const SHAPES: [(usize, usize, usize); 7] =
        [(1, 1, 1), (7, 1, 1), (64, 1, 1), (5, 4, 1), (5, 4, 3), (1, 1, 9), (13, 2, 2)];

    #[test]
    fn parts_cover_everything_once() {
        for (width, rows, slices) in SHAPES {
            let copy = copy_of(width, rows, slices);
            for most in 1..=copy.bytes() + 3 {
                let mut covered = vec![0; copy.bytes()];
                for number in 0..copy.parts(most) {
                    let part = copy.part(number, most);
                    assert!((1..=most).contains(&part.extent.bytes()), "{part:?}");
                    cover(&mut covered, copy.extent, part);
                }
                assert_eq!(covered, vec![1; copy.bytes()], "{width} x {rows} x {slices}, {most} at most");
            }
        }
    }

    #[test]
    fn steps_cover_a_part_once_and_lie_one_after_the_other() {
        for (width, rows, slices) in SHAPES {
            let copy = copy_of(width, rows, slices);
            for most in 1..=copy.bytes() {
                let parts = (0..copy.parts(most)).map(|number| copy.part(number, most));
                let (mut expected, mut covered) = (vec![0; copy.bytes()], vec![0; copy.bytes()]);
                for part in parts.step_by(2) {
                    cover(&mut expected, copy.extent, part);
                    let mut end = 0;
                    for number in 0..part.steps(3) {
                        let (step, offset) = part.step(number, 3);
                        assert_eq!(offset, end);
                        end += step.extent.bytes();
                        cover(&mut covered, copy.extent, step);
                    }
                    assert_eq!(end, part.extent.bytes());
                }
                assert_eq!(covered, expected);
            }
        }
    }

    #[test]
    fn parts_are_as_large_as_they_may_be() {
        let extents = |copy: &HostCopy, most| {
            let parts = (0..copy.parts(most)).map(|number| copy.part(number, most).extent);
            parts.map(|extent| (extent.width, extent.rows, extent.slices)).collect::<Vec<_>>()
        };
        assert_eq!(extents(&copy_of(10, 1, 1), 4), [(4, 1, 1), (4, 1, 1), (2, 1, 1)]);
        assert_eq!(extents(&copy_of(10, 5, 1), 25), [(10, 2, 1), (10, 2, 1), (10, 1, 1)]);
        assert_eq!(extents(&copy_of(10, 2, 5), 45), [(10, 2, 2), (10, 2, 2), (10, 2, 1)]);
        assert_eq!(extents(&copy_of(3, 2, 2), 2).len(), 8);
    }
}
