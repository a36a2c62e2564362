//! Rows in host memory, which the CPU copies and fills.

use core::ptr;

use super::grid::Grid;

impl<const D: usize> Grid<D> {
    /// Where each row begins.
    fn rows(&self) -> impl Iterator<Item = *mut u8> {
        let [slices, rows, _] = self.shape();
        let (first, pitch, height) = (self.address() as usize, self.pitch(), self.height());
        (0..slices).flat_map(move |slice| {
            (0..rows).map(move |row| ptr::with_exposed_provenance_mut(first + (slice * height + row) * pitch))
        })
    }

    /// Copies rows within the host.
    ///
    /// # Safety
    ///
    /// Both are host memory of the same extents, whose provenance is exposed; `source` may be read and `self` written, and
    /// they do not overlap.
    pub(super) unsafe fn copy_from(&self, source: &Self) {
        if self.is_empty() {
            return; // The rows may be astronomically many.
        }
        let bytes = self.extent().width;
        for (to, from) in self.rows().zip(source.rows()) {
            // SAFETY: a row of each, which do not overlap.
            unsafe { ptr::copy_nonoverlapping(from, to, bytes) };
        }
    }

    /// Writes `value` to every element.
    ///
    /// # Safety
    ///
    /// It is host memory of `T`s, whose provenance is exposed, and may be written.
    pub(super) unsafe fn fill<T: Copy>(&self, value: T) {
        if self.is_empty() {
            return; // As above.
        }
        let [_, _, width] = self.shape();
        for row in self.rows() {
            for column in 0..width {
                // SAFETY: an element of the row.
                let element = unsafe { row.cast::<T>().add(column) };
                // SAFETY: it may be written.
                unsafe { element.write(value) };
            }
        }
    }
}
