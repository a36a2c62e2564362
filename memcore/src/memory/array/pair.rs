//! Copies between arrays and other memory: in rows, or, as many elements, in one run.

use core::mem::MaybeUninit;

use super::ArrayObject;
use super::element::ArrayElement;
use crate::copy::{Mode, Order};
use crate::error::Result;
use crate::memory::operand::{DeviceDestination, DeviceSource, HostDestination, HostSource};
use crate::memory::pair::{Pair, RawPair};
use crate::memory::size::same_len;
use crate::memory::view::grid::Grid;
use crate::memory::view::{Direction, copy_grid};
use crate::memory::{DeviceSlice, View};
use crate::stream::Stream;

/// Both forms of a copy: what waits, and what does not.
macro_rules! pairs {
    ($([$($generics:tt)*] $destination:ty: $source:ty, $direction:ident, |$to:ident, $from:ident| $grids:expr;)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<$($generics)*> Pair<$source> for $destination {
            #[track_caller]
            fn copy(self, source: $source, order: Order<'_>) -> Result<()> {
                let ($to, $from) = (&self, &source);
                let (to, from): (Grid<3>, Grid<3>) = $grids;
                // SAFETY: both sides are borrowed for this call, which waits; one exclusively. What comes to the host is an
                // element whatever its bytes (`ArrayElement`).
                unsafe { copy_grid(&to, &from, Direction::$direction, Mode::Waited(order)) }
            }
        }

        #[diagnostic::do_not_recommend]
        impl<$($generics)*> RawPair<$source> for $destination {
            #[track_caller]
            unsafe fn copy_raw(self, source: $source, stream: &Stream) -> Result<()> {
                let ($to, $from) = (&self, &source);
                let (to, from): (Grid<3>, Grid<3>) = $grids;
                // SAFETY: the caller's contract.
                unsafe { copy_grid(&to, &from, Direction::$direction, Mode::Raw(stream)) }
            }
        }
    )*};
}

macro_rules! pairs_of_views {
    ($($destination:ty: $source:ty, $direction:ident;)*) => {
        pairs! {$(
            [T: ArrayElement, const A: usize, const B: usize] View<$destination, A>: View<$source, B>, $direction,
                |to, from| (to.grid.in_3d(), from.grid.in_3d());
        )*}
    };
}

pairs_of_views! {
    &mut ArrayObject<T>: &[T], Upload;
    &mut ArrayObject<T>: &DeviceSlice<T>, OnDevice;
    &mut ArrayObject<T>: &ArrayObject<T>, OnDevice;
    &mut DeviceSlice<T>: &ArrayObject<T>, OnDevice;
    &mut [T]: &ArrayObject<T>, Download;
    &mut [MaybeUninit<T>]: &ArrayObject<T>, Download;
}

pairs! {
    [T: ArrayElement, const A: usize] View<&mut ArrayObject<T>, A>: HostSource<'_, T>, Upload, |to, from|
        (to.grid.in_3d(), run_into::<T, A>(&to.grid, from.address(), from.slice().len())?);
    [T: ArrayElement, const A: usize] View<&mut ArrayObject<T>, A>: DeviceSource<'_, T>, OnDevice, |to, from|
        (to.grid.in_3d(), run_into::<T, A>(&to.grid, from.slice().address(), from.slice().len())?);
    [T: ArrayElement, const B: usize] DeviceDestination<'_, T>: View<&ArrayObject<T>, B>, OnDevice, |to, from|
        (run_from::<T, B>(&from.grid, to.address(), to.len())?, from.grid.in_3d());
    [T: ArrayElement, const B: usize] HostDestination<'_, T>: View<&ArrayObject<T>, B>, Download, |to, from|
        (run_from::<T, B>(&from.grid, to.address(), to.len())?, from.grid.in_3d());
    [T: ArrayElement, const B: usize] HostDestination<'_, MaybeUninit<T>>: View<&ArrayObject<T>, B>, Download, |to, from|
        (run_from::<T, B>(&from.grid, to.address(), to.len())?, from.grid.in_3d());
}

/// The source of a copy to an array: `len` elements one after another.
pub(crate) fn run_into<T, const D: usize>(array: &Grid<D>, address: u64, len: usize) -> Result<Grid<3>> {
    same_len(array.len(), len)?;
    Ok(array.in_3d().in_a_run::<T>(address))
}

/// The destination of a copy from an array: `len` elements one after another.
pub(crate) fn run_from<T, const D: usize>(array: &Grid<D>, address: u64, len: usize) -> Result<Grid<3>> {
    same_len(len, array.len())?;
    Ok(array.in_3d().in_a_run::<T>(address))
}
