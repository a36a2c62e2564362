//! Views in a scope.

use core::mem::MaybeUninit;

use bytemuck::{AnyBitPattern, NoUninit};

use super::Scope;
use super::copy::ScopedPair;
use super::fill::ScopedFill;
use super::lent::{HostSlice, Lent};
use crate::copy;
use crate::error::Result;
use crate::memory::array::ArrayObject;
use crate::memory::view::grid::Grid;
use crate::memory::view::{Direction, as_views, copy_grid, view_memory};
use crate::memory::{DeviceCopy, DeviceSlice, View, ViewMemory};

view_memory! {
    ['a, 'scope, T: 'a] 'a, Lent<'scope, ArrayObject<T>>, false;
    ['a, 'scope, T: 'a] 'a, Lent<'scope, DeviceSlice<T>>, false;
    ['a, 'scope, T: 'a] 'a, Lent<'scope, HostSlice<T>>, true;
}

macro_rules! lent_views {
    ($($memory:ident),*) => {$(
        impl<'scope, T> Lent<'scope, $memory<T>> {
            as_views! {
                [pub] |it| it.address(), it.address(), it.len();
                &Lent<'scope, $memory<T>>, &mut Lent<'scope, $memory<T>>, T
            }
        }
    )*};
}

lent_views!(DeviceSlice, HostSlice);

/// A view that can be lent: of device memory or an array, or of host memory whose elements are plain bytes.
///
/// # Safety
///
/// Sealed. `Lent` is lent memory of the same kind and rights.
pub unsafe trait LendView<'scope>: ViewMemory {
    /// What is lent.
    type Lent: ViewMemory<Element = Self::Element>;
}

macro_rules! lend_view {
    ($([$($read:tt)*] [$($write:tt)*] $borrowed:ty as $memory:ident;)*) => {$(
        // SAFETY: to be read.
        unsafe impl<'env: 'scope, 'scope, T: 'scope + $($read)*> LendView<'scope> for &'env $borrowed {
            type Lent = &'scope Lent<'scope, $memory<T>>;
        }

        // SAFETY: to be read and written.
        unsafe impl<'env: 'scope, 'scope, T: 'scope + $($write)*> LendView<'scope> for &'env mut $borrowed {
            type Lent = &'scope mut Lent<'scope, $memory<T>>;
        }
    )*};
}

lend_view! {
    [] [] DeviceSlice<T> as DeviceSlice;
    [] [] ArrayObject<T> as ArrayObject;
    [NoUninit] [NoUninit + AnyBitPattern] [T] as HostSlice;
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Lends a view of memory that is borrowed for `'env` to the scope, as [`lend`](Self::lend) does memory. It compiles to
    /// nothing.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    /// let tile = [1u8, 2, 3, 4];
    /// let mut back = [0u8; 16];
    /// stream.scope(|s| {
    ///     let mut image = s.lend_view(image.as_view_mut());
    ///     fill!(image[.., ..] <- 9, s)?;
    ///     copy!(image[1..3, 1..3] <- tile.as_2d(2)?, s)?;
    ///     let mut back = s.lend_view(back.as_2d_mut(4)?);
    ///     copy!(back <- image, s)
    /// })?;
    /// assert_eq!(back, [9, 9, 9, 9, 9, 1, 2, 9, 9, 3, 4, 9, 9, 9, 9, 9]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    #[allow(clippy::needless_pass_by_value, reason = "an exclusive view is given away")]
    pub fn lend_view<M: LendView<'scope> + 'env, const D: usize>(&self, view: View<M, D>) -> View<M::Lent, D> {
        // SAFETY: the elements are borrowed for `'env`, which outlives the scope, and the brand keeps them on this scope's
        // stream.
        unsafe { View::from_grid(view.grid) }
    }
}

/// Queues a copy of rows.
///
/// # Safety
///
/// As [`copy_grid`], until the scope ends, which waits.
#[track_caller]
pub(super) unsafe fn queue<const D: usize>(
    destination: &Grid<D>,
    source: &Grid<D>,
    direction: Direction,
    scope: &Scope<'_, '_>,
) -> Result<()> {
    // The host sees no array.
    let is_seen = !destination.is_array() && copy::has_managed_memory();
    let exposes = match direction {
        Direction::Upload => is_seen,
        Direction::Download => true,
        Direction::OnDevice => is_seen || crosses(destination, source)?,
    };
    let exposing = scope.exposing(exposes);
    // SAFETY: the caller's contract, and the scope waits.
    exposing.ends_with(unsafe { copy_grid(destination, source, direction, scope.mode()) })
}

/// Whether device memory of two contexts is meant, which is borrowed until the scope ends.
fn crosses<const D: usize>(destination: &Grid<D>, source: &Grid<D>) -> Result<bool> {
    if destination.is_empty() || source.is_empty() {
        return Ok(false);
    }
    // SAFETY: the memory is borrowed until the scope ends, so its context stays open.
    let to = unsafe { destination.context()? };
    // SAFETY: as above.
    let from = unsafe { source.context()? };
    Ok(to.raw() != from.raw())
}

macro_rules! scoped_views {
    ($([$($bound:tt)*] $destination:ty: $source:ty, $direction:ident;)*) => {$(
        impl<'scope, 'env, T: $($bound)*, const D: usize> ScopedPair<'scope, 'env, View<$source, D>>
            for View<$destination, D>
        {
            #[track_caller]
            fn copy_in(self, source: View<$source, D>, scope: &Scope<'scope, 'env>) -> Result<()> {
                // SAFETY: each side is borrowed for `'env` or lent to this scope, the destination exclusively, so that
                // they do not overlap; what comes to the host is an element whatever its bytes, by the bound or by
                // `LendView` and `LendMut`.
                unsafe { queue(&self.grid, &source.grid, Direction::$direction, scope) }
            }
        }
    )*};
}

scoped_views! {
    [DeviceCopy] &'env mut DeviceSlice<T>: &'env [T], Upload;
    [DeviceCopy] &'env mut DeviceSlice<T>: &Lent<'scope, HostSlice<T>>, Upload;
    [DeviceCopy] &'env mut DeviceSlice<T>: &'env DeviceSlice<T>, OnDevice;
    [DeviceCopy] &'env mut DeviceSlice<T>: &Lent<'scope, DeviceSlice<T>>, OnDevice;
    [DeviceCopy] &mut Lent<'scope, DeviceSlice<T>>: &'env [T], Upload;
    [DeviceCopy] &mut Lent<'scope, DeviceSlice<T>>: &Lent<'scope, HostSlice<T>>, Upload;
    [DeviceCopy] &mut Lent<'scope, DeviceSlice<T>>: &'env DeviceSlice<T>, OnDevice;
    [DeviceCopy] &mut Lent<'scope, DeviceSlice<T>>: &Lent<'scope, DeviceSlice<T>>, OnDevice;
    [DeviceCopy + AnyBitPattern] &'env mut [T]: &'env DeviceSlice<T>, Download;
    [DeviceCopy + AnyBitPattern] &'env mut [T]: &Lent<'scope, DeviceSlice<T>>, Download;
    [DeviceCopy + AnyBitPattern] &'env mut [MaybeUninit<T>]: &'env DeviceSlice<T>, Download;
    [DeviceCopy + AnyBitPattern] &'env mut [MaybeUninit<T>]: &Lent<'scope, DeviceSlice<T>>, Download;
    [DeviceCopy] &mut Lent<'scope, HostSlice<T>>: &'env DeviceSlice<T>, Download;
    [DeviceCopy] &mut Lent<'scope, HostSlice<T>>: &Lent<'scope, DeviceSlice<T>>, Download;
}

macro_rules! scoped_fills {
    ($($destination:ty),*) => {$(
        impl<'scope, 'env, T: DeviceCopy, const D: usize> ScopedFill<'scope, 'env, T> for View<$destination, D> {
            #[track_caller]
            fn fill_in(self, value: T, scope: &Scope<'scope, 'env>) -> Result<()> {
                // SAFETY: it is no array.
                let fill = unsafe { self.grid.fill_with(bytemuck::bytes_of(&value)) };
                let Some(fill) = fill else { return Ok(()) };
                // SAFETY: the device memory is borrowed until the scope ends, so its context stays open.
                let context = unsafe { self.grid.context()? };
                let exposes = copy::has_managed_memory();
                if exposes && !fill.is_one_call() {
                    // Refused half-way, it is in flight half-way.
                    scope.expose();
                }
                let exposing = scope.exposing(exposes);
                // SAFETY: the rows are borrowed exclusively for `'env` or lent to this scope, which waits; the value is in
                // the calls themselves.
                exposing.ends_with(unsafe { copy::fill_rows_by_sets(context, fill, scope.mode()) })
            }
        }
    )*};
}

scoped_fills!(&'env mut DeviceSlice<T>, &mut Lent<'scope, DeviceSlice<T>>);
