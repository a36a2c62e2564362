//! Copies in a scope.

use core::mem::MaybeUninit;

use bytemuck::AnyBitPattern;

use super::Scope;
use super::lent::{HostSlice, Lent};
use crate::__private::{CopyOn, On};
use crate::context::context_of;
use crate::copy::{self, HostKind};
use crate::error::Result;
use crate::memory::operand::{DeviceDestination, DeviceSource, HostDestination, HostSource, ToDestination, ToSource};
use crate::memory::size::same_len;
use crate::memory::{DeviceCopy, DeviceSlice};

/// Lent memory that is read.
#[allow(missing_debug_implementations, reason = "an operand, which no program sees")]
pub struct LentSource<'x, 'scope, M: ?Sized>(pub(super) &'x Lent<'scope, M>);

/// Lent memory that is written.
#[allow(missing_debug_implementations, reason = "an operand, which no program sees")]
pub struct LentDestination<'x, 'scope, M: ?Sized>(pub(super) &'x mut Lent<'scope, M>);

impl<'x, 'scope, M: ?Sized> ToSource for &'x Lent<'scope, M> {
    type Source = LentSource<'x, 'scope, M>;

    fn __as_copy_source(self) -> Self::Source {
        LentSource(self)
    }
}

impl<'x, 'scope, M: ?Sized> ToDestination for &'x mut Lent<'scope, M> {
    type Destination = LentDestination<'x, 'scope, M>;

    fn __as_copy_destination(self) -> Self::Destination {
        LentDestination(self)
    }
}

impl On for &Scope<'_, '_> {
    type On = Self;

    fn __as_stream(self) -> Self {
        self
    }
}

/// Where an operand is, for an operation that is in flight until the scope ends.
#[derive(Clone, Copy)]
struct Place {
    address: u64,
    len: usize,
    is_host: bool,
}

/// An operand whose memory stays as it has to be until the scope ends.
///
/// # Safety
///
/// The place holds `len` elements that are borrowed until the end of the scope `'scope`: because they are borrowed for
/// `'env`, or because they are lent to that scope. They are borrowed exclusively if the operand is a destination; any
/// bytes that arrive there are elements if the host can see them.
unsafe trait Scoped<'scope, 'env> {
    fn place(&self) -> Place;
}

macro_rules! scoped {
    ($([$($bound:tt)*] $operand:ty, $is_host:literal, |$it:ident| ($address:expr, $len:expr), $why:literal;)*) => {$(
        #[doc = $why]
        // SAFETY: as the line above says.
        unsafe impl<'scope, 'env, T: $($bound)*> Scoped<'scope, 'env> for $operand {
            fn place(&self) -> Place {
                let $it = self;
                Place { address: $address, len: $len, is_host: $is_host }
            }
        }
    )*};
}

scoped! {
    [DeviceCopy] HostSource<'env, T>, true, |it| (it.slice().as_ptr().expose_provenance() as u64, it.slice().len()),
        "Borrowed for `'env`.";
    [DeviceCopy + AnyBitPattern] HostDestination<'env, T>, true, |it| (it.as_mut_ptr().expose_provenance() as u64, it.len()),
        "Borrowed exclusively for `'env`.";
    [DeviceCopy] DeviceSource<'env, T>, false, |it| (it.slice().address(), it.slice().len()),
        "Borrowed for `'env`.";
    [DeviceCopy] DeviceDestination<'env, T>, false, |it| (it.address(), it.len()),
        "Borrowed exclusively for `'env`.";
}

macro_rules! scoped_lent {
    ($([$($bound:tt)*] $memory:ident, $is_host:literal;)*) => {$(
        // SAFETY: lent to the scope.
        unsafe impl<'scope, 'env, T: $($bound)*> Scoped<'scope, 'env> for LentSource<'_, 'scope, $memory<T>> {
            fn place(&self) -> Place {
                Place { address: self.0.address(), len: self.0.len(), is_host: $is_host }
            }
        }

        // SAFETY: lent to the scope exclusively; `LendMut` asked of host memory that any bytes are elements.
        unsafe impl<'scope, 'env, T: $($bound)*> Scoped<'scope, 'env> for LentDestination<'_, 'scope, $memory<T>> {
            fn place(&self) -> Place {
                Place { address: self.0.address(), len: self.0.len(), is_host: $is_host }
            }
        }
    )*};
}

scoped_lent! {
    [DeviceCopy] DeviceSlice, false;
    [DeviceCopy] HostSlice, true;
}

/// A copy from `S` to `Self` in a scope.
#[diagnostic::on_unimplemented(
    message = "cannot copy a `{S}` to a `{Self}` in this scope",
    label = "the two sides must have the same element type and live as long as the scope, one of them on a device"
)]
pub trait ScopedPair<'scope, 'env, S> {
    #[doc(hidden)]
    #[track_caller]
    fn copy_in(self, source: S, scope: &Scope<'scope, 'env>) -> Result<()>;
}

/// Queues the copy.
#[track_caller]
fn queue<'scope, 'env, T>(
    destination: &impl Scoped<'scope, 'env>,
    source: &impl Scoped<'scope, 'env>,
    scope: &Scope<'scope, 'env>,
) -> Result<()> {
    let (to, from) = (destination.place(), source.place());
    same_len(to.len, from.len)?;
    let bytes = to.len * size_of::<T>();
    if bytes == 0 {
        return Ok(());
    }
    let mode = scope.mode();
    if from.is_host {
        // SAFETY: the address lies in device memory that is borrowed until the scope ends, so its context stays open.
        let context = unsafe { context_of(to.address)? };
        let source = core::ptr::with_exposed_provenance(from.address as usize);
        let exposing = scope.exposing(copy::has_managed_memory());
        // SAFETY: `Scoped`: both sides are as they have to be until the scope ends, and that waits.
        return exposing
            .ends_with(unsafe { copy::upload(context, to.address, source, HostKind::Unknown, bytes, mode) });
    }
    // SAFETY: as above.
    let source_context = unsafe { context_of(from.address)? };
    if to.is_host {
        let destination = core::ptr::with_exposed_provenance_mut(to.address as usize);
        let exposing = scope.exposing(true);
        let kind = HostKind::Unknown;
        // SAFETY: `Scoped`: both sides are as they have to be until the scope ends, and that waits.
        let queued = unsafe { copy::download(source_context, destination, kind, from.address, bytes, mode) };
        return exposing.ends_with(queued);
    }
    // SAFETY: as above.
    let context = unsafe { context_of(to.address)? };
    let exposing = scope.exposing(copy::has_managed_memory() || context.raw() != source_context.raw());
    // SAFETY: `Scoped`: both sides are as they have to be until the scope ends, and that waits; one is borrowed
    // exclusively, so that they do not overlap.
    let queued = unsafe { copy::device_to_device(context, to.address, source_context, from.address, bytes, mode) };
    exposing.ends_with(queued)
}

macro_rules! scoped_pairs {
    ($([$($bound:tt)*] $destination:ty: $source:ty;)*) => {$(
        impl<'scope, 'env, T: $($bound)*> ScopedPair<'scope, 'env, $source> for $destination {
            #[track_caller]
            fn copy_in(self, source: $source, scope: &Scope<'scope, 'env>) -> Result<()> {
                queue::<T>(&self, &source, scope)
            }
        }
    )*};
}

scoped_pairs! {
    [DeviceCopy] DeviceDestination<'env, T>: HostSource<'env, T>;
    [DeviceCopy] DeviceDestination<'env, T>: DeviceSource<'env, T>;
    [DeviceCopy] DeviceDestination<'env, T>: LentSource<'_, 'scope, DeviceSlice<T>>;
    [DeviceCopy] DeviceDestination<'env, T>: LentSource<'_, 'scope, HostSlice<T>>;
    [DeviceCopy] LentDestination<'_, 'scope, DeviceSlice<T>>: HostSource<'env, T>;
    [DeviceCopy] LentDestination<'_, 'scope, DeviceSlice<T>>: DeviceSource<'env, T>;
    [DeviceCopy] LentDestination<'_, 'scope, DeviceSlice<T>>: LentSource<'_, 'scope, DeviceSlice<T>>;
    [DeviceCopy] LentDestination<'_, 'scope, DeviceSlice<T>>: LentSource<'_, 'scope, HostSlice<T>>;
    [DeviceCopy + AnyBitPattern] HostDestination<'env, T>: DeviceSource<'env, T>;
    [DeviceCopy + AnyBitPattern] HostDestination<'env, T>: LentSource<'_, 'scope, DeviceSlice<T>>;
    [DeviceCopy] LentDestination<'_, 'scope, HostSlice<T>>: DeviceSource<'env, T>;
    [DeviceCopy] LentDestination<'_, 'scope, HostSlice<T>>: LentSource<'_, 'scope, DeviceSlice<T>>;
}

macro_rules! uninitialised_pairs {
    ($($source:ty),*) => {$(
        /// Uninitialised host memory takes what initialised does.
        impl<'scope, 'env, T: DeviceCopy + AnyBitPattern> ScopedPair<'scope, 'env, $source>
            for HostDestination<'env, MaybeUninit<T>>
        {
            #[track_caller]
            fn copy_in(self, source: $source, scope: &Scope<'scope, 'env>) -> Result<()> {
                queue::<T>(&self.of_elements(), &source, scope)
            }
        }
    )*};
}

uninitialised_pairs!(DeviceSource<'env, T>, LentSource<'_, 'scope, DeviceSlice<T>>);

impl<'scope, 'env, D: ScopedPair<'scope, 'env, S>, S> CopyOn<D, S> for &Scope<'scope, 'env> {
    #[track_caller]
    fn copy(self, destination: D, source: S) -> Result<()> {
        destination.copy_in(source, self)
    }
}
