//! Views and their windows as the operands of the macros.

use super::View;
use super::memory::{ViewMemory, ViewMemoryMut};
use crate::error::Result;
use crate::memory::DeviceIndex;
use crate::memory::operand::{IntoDestination, ToDestination, ToSource};

impl<'x, M: ViewMemory, const D: usize> ToSource for &'x View<M, D> {
    type Source = View<M::Shared<'x>, D>;

    fn __as_copy_source(self) -> Self::Source {
        self.as_shared()
    }
}

impl<'x, M: ViewMemoryMut, const D: usize> ToDestination for &'x mut View<M, D> {
    type Destination = View<M::Exclusive<'x>, D>;

    fn __as_copy_destination(self) -> Self::Destination {
        self.reborrow()
    }
}

impl<M: ViewMemoryMut, const D: usize> IntoDestination for View<M, D> {
    type Destination = Self;

    fn __into_copy_destination(self) -> Self {
        self
    }
}

/// An operand of which `[rows, columns]` or `[slices, rows, columns]` is a part. Sealed.
#[diagnostic::on_unimplemented(
    message = "this memory has no such windows",
    label = "`[rows, columns]` is a window of a 2-D view, `[slices, rows, columns]` of a 3-D one",
    note = "`as_2d(width)` and `as_3d([rows, columns])` view memory so"
)]
pub trait Window<I>: Sized + sealed::Window<I> {
    #[doc(hidden)]
    fn __window(self, index: I) -> Result<Self>;
}

mod sealed {
    use crate::memory::DeviceIndex;

    pub trait Window<I> {}

    impl<V, I: DeviceIndex, J: DeviceIndex> Window<(I, J)> for V {}
    impl<V, I: DeviceIndex, J: DeviceIndex, K: DeviceIndex> Window<(I, J, K)> for V {}
}

impl<M: ViewMemory, I: DeviceIndex + Clone, J: DeviceIndex + Clone> Window<(I, J)> for View<M, 2> {
    fn __window(self, (rows, columns): (I, J)) -> Result<Self> {
        self.window(rows, columns)
    }
}

impl<M: ViewMemory, I: DeviceIndex + Clone, J: DeviceIndex + Clone, K: DeviceIndex + Clone> Window<(I, J, K)>
    for View<M, 3>
{
    fn __window(self, (slices, rows, columns): (I, J, K)) -> Result<Self> {
        self.window(slices, rows, columns)
    }
}
