//! Copies of arrays in a scope.

use core::mem::MaybeUninit;

use super::Scope;
use super::copy::{LentDestination, LentSource, ScopedPair};
use super::fill::ScopedFill;
use super::lent::{HostSlice, Lent};
use super::view::queue;
use crate::error::{Error, Result};
use crate::memory::array::{ArrayElement, ArrayObject, run_from, run_into, windows_of_one_slice};
use crate::memory::operand::{DeviceDestination, DeviceSource, HostDestination, HostSource};
use crate::memory::view::Direction;
use crate::memory::{DeviceIndex, DeviceSlice, View, Window};

windows_of_one_slice! {
    ['x, 'scope,] &'x Lent<'scope, ArrayObject<T>>;
    ['x, 'scope,] &'x mut Lent<'scope, ArrayObject<T>>;
}

macro_rules! scoped_views {
    ($($direction:ident $destination:ty: $($source:ty),+;)*) => {$($(
        #[diagnostic::do_not_recommend]
        impl<'scope, 'env, T: ArrayElement, const A: usize, const B: usize> ScopedPair<'scope, 'env, View<$source, B>>
            for View<$destination, A>
        {
            #[track_caller]
            fn copy_in(self, source: View<$source, B>, scope: &Scope<'scope, 'env>) -> Result<()> {
                // SAFETY: each side is borrowed for `'env` or lent to this scope, the destination exclusively, so that
                // they do not overlap; what comes to the host is an element whatever its bytes (`ArrayElement`).
                unsafe { queue(&self.grid.in_3d(), &source.grid.in_3d(), Direction::$direction, scope) }
            }
        }
    )+)*};
}

scoped_views! {
    Upload &'env mut ArrayObject<T>: &'env [T], &Lent<'scope, HostSlice<T>>;
    Upload &mut Lent<'scope, ArrayObject<T>>: &'env [T], &Lent<'scope, HostSlice<T>>;
    OnDevice &'env mut ArrayObject<T>: &'env DeviceSlice<T>, &Lent<'scope, DeviceSlice<T>>;
    OnDevice &mut Lent<'scope, ArrayObject<T>>: &'env DeviceSlice<T>, &Lent<'scope, DeviceSlice<T>>;
    OnDevice &'env mut ArrayObject<T>: &'env ArrayObject<T>, &Lent<'scope, ArrayObject<T>>;
    OnDevice &mut Lent<'scope, ArrayObject<T>>: &'env ArrayObject<T>, &Lent<'scope, ArrayObject<T>>;
    OnDevice &'env mut DeviceSlice<T>: &'env ArrayObject<T>, &Lent<'scope, ArrayObject<T>>;
    OnDevice &mut Lent<'scope, DeviceSlice<T>>: &'env ArrayObject<T>, &Lent<'scope, ArrayObject<T>>;
    Download &'env mut [T]: &'env ArrayObject<T>, &Lent<'scope, ArrayObject<T>>;
    Download &'env mut [MaybeUninit<T>]: &'env ArrayObject<T>, &Lent<'scope, ArrayObject<T>>;
    Download &mut Lent<'scope, HostSlice<T>>: &'env ArrayObject<T>, &Lent<'scope, ArrayObject<T>>;
}

macro_rules! scoped_sources {
    ($array:ty: $($source:ty, $direction:ident, |$it:ident| ($address:expr, $len:expr);)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'scope, 'env, T: ArrayElement, const A: usize> ScopedPair<'scope, 'env, $source> for View<$array, A> {
            #[track_caller]
            fn copy_in(self, $it: $source, scope: &Scope<'scope, 'env>) -> Result<()> {
                let source = run_into::<T, A>(&self.grid, $address, $len)?;
                // SAFETY: each side is borrowed for `'env` or lent to this scope, the destination exclusively; the run has
                // as many elements as the array's view, and what comes to the host is an element whatever its bytes
                // (`ArrayElement`).
                unsafe { queue(&self.grid.in_3d(), &source, Direction::$direction, scope) }
            }
        }
    )*};
    ($($array:ty),*) => {$(
        scoped_sources! { $array:
            HostSource<'env, T>, Upload, |it| (it.address(), it.slice().len());
            LentSource<'_, 'scope, HostSlice<T>>, Upload, |it| (it.0.address(), it.0.len());
            DeviceSource<'env, T>, OnDevice, |it| (it.slice().address(), it.slice().len());
            LentSource<'_, 'scope, DeviceSlice<T>>, OnDevice, |it| (it.0.address(), it.0.len());
        }
    )*};
}

scoped_sources!(&'env mut ArrayObject<T>, &mut Lent<'scope, ArrayObject<T>>);

macro_rules! scoped_destinations {
    ($array:ty: $($destination:ty, $direction:ident, |$it:ident| ($address:expr, $len:expr);)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<'scope, 'env, T: ArrayElement, const B: usize> ScopedPair<'scope, 'env, View<$array, B>> for $destination {
            #[track_caller]
            fn copy_in(self, source: View<$array, B>, scope: &Scope<'scope, 'env>) -> Result<()> {
                let $it = self;
                let destination = run_from::<T, B>(&source.grid, $address, $len)?;
                // SAFETY: each side is borrowed for `'env` or lent to this scope, the destination exclusively; the run has
                // as many elements as the array's view, and what comes to the host is an element whatever its bytes
                // (`ArrayElement`).
                unsafe { queue(&destination, &source.grid.in_3d(), Direction::$direction, scope) }
            }
        }
    )*};
    ($($array:ty),*) => {$(
        scoped_destinations! { $array:
            HostDestination<'env, T>, Download, |it| (it.address(), it.len());
            HostDestination<'env, MaybeUninit<T>>, Download, |it| (it.address(), it.len());
            LentDestination<'_, 'scope, HostSlice<T>>, Download, |it| (it.0.address(), it.0.len());
            DeviceDestination<'env, T>, OnDevice, |it| (it.address(), it.len());
            LentDestination<'_, 'scope, DeviceSlice<T>>, OnDevice, |it| (it.0.address(), it.0.len());
        }
    )*};
}

scoped_destinations!(&'env ArrayObject<T>, &Lent<'scope, ArrayObject<T>>);

/// An array that is filled in a scope. Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "arrays are filled outside a scope",
    label = "no memset knows arrays, and the value would have to live until the scope ends",
    note = "fill it before or after: `fill!(image <- value)`; or copy memory that is filled to it: `copy!(image <- host, scope)`"
)]
pub trait FillInScope {
    #[doc(hidden)]
    fn never(&self) -> Result<()>;
}

macro_rules! unfilled {
    ($($array:ty),*) => {$(
        impl<'x, 'scope, 'env, T, const D: usize> ScopedFill<'scope, 'env, T> for View<$array, D>
        where
            View<$array, D>: FillInScope,
        {
            fn fill_in(self, _value: T, _scope: &Scope<'scope, 'env>) -> Result<()> {
                self.never()
            }
        }
    )*};
}

unfilled!(&'x mut ArrayObject<T>, &'x mut Lent<'scope, ArrayObject<T>>);
