//! Copies between views.

use core::any::type_name;
use core::mem::MaybeUninit;

use bytemuck::AnyBitPattern;

use super::View;
use super::grid::{Grid, same_shape};
use crate::__private::derive::path;
use crate::copy::{self, Mode, Order};
use crate::error::{Error, Result};
use crate::memory::device_copy::{DeviceCopy, is_any_bit_pattern};
use crate::memory::host_vec::host_vec;
use crate::memory::pair::{Pair, RawPair};
use crate::memory::slice::DeviceSlice;
use crate::stream::Stream;

/// Which sides are the host's.
#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Upload,
    Download,
    OnDevice,
}

/// Copies rows of the same extents, of which some are on a device.
///
/// # Safety
///
/// The sides are memory as the direction says, of contexts that stay open; `source` may be read and `destination` written,
/// by this operation alone until it is complete: on return, or under [`Mode::Raw`] when the caller has waited. They do not
/// overlap.
#[track_caller]
pub(crate) unsafe fn copy_grid<const D: usize>(
    destination: &Grid<D>,
    source: &Grid<D>,
    direction: Direction,
    mode: Mode<'_>,
) -> Result<()> {
    same_shape(destination, source)?;
    if destination.is_empty() {
        return Ok(());
    }
    let (to_host, from_host) = match direction {
        Direction::Upload => (false, true),
        Direction::Download => (true, false),
        Direction::OnDevice => (false, false),
    };
    let device_side = if to_host { source } else { destination };
    // SAFETY: it is a device's, whose context stays open by the caller's contract, as an array does.
    let one = unsafe { device_side.context()? };
    let other = match direction {
        // SAFETY: as above.
        Direction::OnDevice => unsafe { source.context()? },
        Direction::Upload | Direction::Download => one,
    };
    // SAFETY: by the caller's contract an array lives.
    let to = unsafe { destination.place(to_host) };
    // SAFETY: as above.
    let from = unsafe { source.place(from_host) };
    // SAFETY: the caller's contract, and the extents are the same.
    unsafe { copy::copy_rows([one, other], to, from, destination.extent(), mode) }
}

/// Downloads rows; after a success every element of the destination is a value of `T`.
///
/// # Safety
///
/// As [`copy_grid`], of elements of `T`; the call waits.
#[track_caller]
unsafe fn download<T: DeviceCopy, const D: usize>(
    destination: &Grid<D>,
    source: &Grid<D>,
    order: Order<'_>,
) -> Result<()> {
    same_shape(destination, source)?;
    let mode = Mode::Waited(order);
    if is_any_bit_pattern::<T>() || source.is_empty() {
        // SAFETY: the caller's contract.
        return unsafe { copy_grid(destination, source, Direction::Download, mode) };
    }
    let len = source.len();
    // SAFETY: by the caller's contract it is a device's, whose context stays open, as an array does.
    let mut scratch: Vec<T::Bits> = host_vec(len, || unsafe { source.context() })?;
    let [_, rows, _] = source.shape();
    let address = scratch.as_mut_ptr().expose_provenance() as u64;
    let packed = Grid::new::<T>(address, source.extents(), source.extent().width, rows);
    // SAFETY: the scratch has room for as many `Bits`, which have the size of `T`, and the call waits.
    unsafe { copy_grid(&packed, source, Direction::Download, mode)? };
    // SAFETY: the capacity is at least the length, and the download wrote all bytes, any of which are `Bits`.
    unsafe { scratch.set_len(len) };
    check::<T>(&scratch)?;
    // SAFETY: the same extents; the scratch is read, and by the caller's contract the destination may be written.
    unsafe { destination.copy_from(&packed) };
    Ok(())
}

/// Refuses bits that are no value of `T`.
fn check<T: DeviceCopy>(bits: &[T::Bits]) -> Result<()> {
    let Some(index) = bits.iter().position(|bits| !T::is_valid_bit_pattern(bits)) else { return Ok(()) };
    let field = path::explain(|| T::is_valid_bit_pattern(&bits[index]));
    Err(Error::InvalidValue { index, type_name: type_name::<T>(), field })
}

impl<T: DeviceCopy, const D: usize> View<&DeviceSlice<T>, D> {
    /// The elements, row after row. Complete on return. Driver functions: `cuMemcpy2DAsync_v2`, or of several slices
    /// `cuMemcpy3DAsync_v2`; `cuStreamSynchronize`.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidValue`], with the index in this order; [`Error::HostAllocation`]; the driver's code.
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        // SAFETY: the source is borrowed as `self` is.
        unsafe { to_vec(&self.grid) }
    }
}

/// # Safety
///
/// Elements of `T` in device memory or an array that may be read, of a context that stays open, until the call returns.
#[track_caller]
pub(crate) unsafe fn to_vec<T: DeviceCopy, const D: usize>(source: &Grid<D>) -> Result<Vec<T>> {
    let len = source.len();
    // SAFETY: by the caller's contract.
    let mut vec: Vec<T> = host_vec(len, || unsafe { source.context() })?;
    let [_, rows, _] = source.shape();
    let address = vec.as_mut_ptr().expose_provenance() as u64;
    let packed = Grid::new::<T>(address, source.extents(), source.extent().width, rows);
    // SAFETY: the vector has room for as many elements; the caller's contract covers the source.
    unsafe { download::<T, D>(&packed, source, Order::Now)? };
    // SAFETY: the capacity is at least the length, and the download wrote every element.
    unsafe { vec.set_len(len) };
    Ok(vec)
}

macro_rules! waited_pairs {
    ($($destination:ty: $source:ty, $direction:ident;)*) => {$(
        impl<T: DeviceCopy, const D: usize> Pair<View<$source, D>> for View<$destination, D> {
            #[track_caller]
            fn copy(self, source: View<$source, D>, order: Order<'_>) -> Result<()> {
                // SAFETY: both sides are borrowed for this call, which waits; one exclusively.
                unsafe { copy_grid(&self.grid, &source.grid, Direction::$direction, Mode::Waited(order)) }
            }
        }
    )*};
}

waited_pairs! {
    &mut DeviceSlice<T>: &[T], Upload;
    &mut DeviceSlice<T>: &DeviceSlice<T>, OnDevice;
}

macro_rules! downloads {
    ($($destination:ty),*) => {$(
        impl<T: DeviceCopy, const D: usize> Pair<View<&DeviceSlice<T>, D>> for View<$destination, D> {
            #[track_caller]
            fn copy(self, source: View<&DeviceSlice<T>, D>, order: Order<'_>) -> Result<()> {
                // SAFETY: both sides are borrowed for this call, which waits; one exclusively.
                unsafe { download::<T, D>(&self.grid, &source.grid, order) }
            }
        }
    )*};
}

downloads!(&mut [T], &mut [MaybeUninit<T>]);

/// Host to host: the CPU copies, and no stream is asked.
impl<T: DeviceCopy, const D: usize> Pair<View<&[T], D>> for View<&mut [T], D> {
    #[track_caller]
    fn copy(self, source: View<&[T], D>, _order: Order<'_>) -> Result<()> {
        same_shape(&self.grid, &source.grid)?;
        // SAFETY: both are the host's and borrowed for this call, one exclusively, so that they do not overlap.
        unsafe { self.grid.copy_from(&source.grid) };
        Ok(())
    }
}

macro_rules! raw_pairs {
    ($([$($bound:tt)*] $destination:ty: $source:ty, $direction:ident;)*) => {$(
        impl<T: $($bound)*, const D: usize> RawPair<View<$source, D>> for View<$destination, D> {
            #[track_caller]
            unsafe fn copy_raw(self, source: View<$source, D>, stream: &Stream) -> Result<()> {
                // SAFETY: the caller's contract.
                unsafe { copy_grid(&self.grid, &source.grid, Direction::$direction, Mode::Raw(stream)) }
            }
        }
    )*};
}

raw_pairs! {
    [DeviceCopy] &mut DeviceSlice<T>: &[T], Upload;
    [DeviceCopy] &mut DeviceSlice<T>: &DeviceSlice<T>, OnDevice;
    [DeviceCopy + AnyBitPattern] &mut [T]: &DeviceSlice<T>, Download;
}
