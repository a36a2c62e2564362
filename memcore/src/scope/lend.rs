//! What can be lent to a scope, and how.

use bytemuck::{AnyBitPattern, NoUninit};

use super::Scope;
use super::lent::{HostSlice, Lent, LentCast, LentMemory};
use crate::memory::{DeviceBox, DeviceBuffer, DeviceSlice, LockedBuffer, RegisteredBuffer, UnifiedBox, UnifiedBuffer};

/// Memory that can be lent to be read.
///
/// Device memory ([`DeviceBuffer`], [`DeviceBox`], [`DeviceSlice`]), unified memory, and host memory (`[T]`, arrays,
/// `Vec`, [`LockedBuffer`], [`RegisteredBuffer`]) whose elements are plain bytes.
///
/// # Safety
///
/// Sealed.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be lent",
    label = "neither device memory, unified memory, nor host memory of plain bytes",
    note = "rows, and CUDA arrays, are lent as views: `scope.lend_view(rows.as_view_mut())`"
)]
pub unsafe trait Lend: sealed::Sealed {
    /// What is lent: a [`DeviceSlice`] or a [`HostSlice`].
    type Memory: LentMemory + ?Sized;

    /// Where it is.
    #[doc(hidden)]
    fn __place(&self) -> (u64, usize);
}

/// Memory that can be lent to be read and written.
///
/// As [`Lend`]; whatever bytes the device writes into host or unified memory are elements.
///
/// # Safety
///
/// Sealed.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be lent",
    label = "neither device memory, unified memory, nor host memory of plain bytes",
    note = "rows, and CUDA arrays, are lent as views: `scope.lend_view(rows.as_view_mut())`"
)]
pub unsafe trait LendMut: sealed::Sealed {
    /// What is lent: a [`DeviceSlice`] or a [`HostSlice`].
    type Memory: LentMemory + ?Sized;

    /// Where it is.
    #[doc(hidden)]
    fn __place_mut(&mut self) -> (u64, usize);
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! lend {
    ($([$($generics:tt)*] $type:ty as $memory:ident, [$($read:tt)*] [$($write:tt)*],
        |$it:ident| $place:expr, $place_mut:expr, $len:expr;)*) => {$(
        impl<T, $($generics)*> sealed::Sealed for $type {}

        // SAFETY: the address and length of the elements, borrowed as `self` is.
        unsafe impl<T: $($read)*, $($generics)*> Lend for $type {
            type Memory = $memory<T>;

            fn __place(&self) -> (u64, usize) {
                let $it = self;
                ($place, $len)
            }
        }

        // SAFETY: the address and length of the elements, borrowed as `self` is.
        unsafe impl<T: $($write)*, $($generics)*> LendMut for $type {
            type Memory = $memory<T>;

            fn __place_mut(&mut self) -> (u64, usize) {
                let $it = self;
                ($place_mut, $len)
            }
        }
    )*};
}

/// Memory whose address is the device's.
macro_rules! lend_device {
    ($([$($read:tt)*] [$($write:tt)*] $type:ty, |$it:ident| $len:expr;)*) => {$(
        lend! { [] $type as DeviceSlice, [$($read)*] [$($write)*],
            |$it| $it.as_device_ptr().as_raw(), $it.as_device_ptr().as_raw(), $len; }
    )*};
}

/// Memory whose address is the host's, exposed to the device.
macro_rules! lend_host {
    ($([$($generics:tt)*] $type:ty, |$it:ident| $len:expr;)*) => {$(
        lend! { [$($generics)*] $type as HostSlice, [NoUninit] [NoUninit + AnyBitPattern],
            |$it| $it.as_ptr().expose_provenance() as u64, $it.as_mut_ptr().expose_provenance() as u64, $len; }
    )*};
}

lend_device! {
    [] [] DeviceSlice<T>, |it| it.len();
    [] [] DeviceBuffer<T>, |it| it.as_slice().len();
    [] [] DeviceBox<T>, |it| 1;
    [NoUninit] [NoUninit + AnyBitPattern] UnifiedBuffer<T>, |it| it.as_slice().len();
    [NoUninit] [NoUninit + AnyBitPattern] UnifiedBox<T>, |it| 1;
}

lend_host! {
    [] [T], |it| it.len();
    [] Vec<T>, |it| it.len();
    [] LockedBuffer<T>, |it| it.as_slice().len();
    [] RegisteredBuffer<T>, |it| it.as_slice().len();
    [const N: usize] [T; N], |it| N;
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Lends memory to the scope, to be read and written by its operations until it ends. It compiles to nothing.
    ///
    /// What is lent is used in this scope alone, named in each operation. To use it on another stream see
    /// [`take_over`](Self::take_over).
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let mut dev = device_vec![0u32; 8]?;
    /// let mut back = vec![0; 8];
    /// stream.scope(|s| {
    ///     let dev = s.lend(&mut dev);
    ///     let (left, right) = dev.split_at_mut(4);
    ///     copy!(left <- [1, 2, 3, 4].as_slice(), s)?;
    ///     copy!(right <- left, s)?;
    ///     copy!(back <- dev, s)
    /// })?;
    /// assert_eq!(back, [1, 2, 3, 4, 1, 2, 3, 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    pub fn lend<M: LendMut + ?Sized>(&self, memory: &'env mut M) -> &'scope mut Lent<'scope, M::Memory>
    where
        Lent<'scope, M::Memory>: LentCast<M::Memory>,
    {
        let (address, len) = memory.__place_mut();
        // SAFETY: the memory is borrowed exclusively for `'env`, which outlives the scope, and the brand keeps it on
        // this scope's stream.
        unsafe { Lent::exclusive(address, len) }
    }

    /// Lends memory to the scope, to be read by its operations until it ends. It compiles to nothing. To read it on another
    /// stream too see [`take_over_ref`](Self::take_over_ref), or lend it to both scopes with this.
    pub fn lend_ref<M: Lend + ?Sized>(&self, memory: &'env M) -> &'scope Lent<'scope, M::Memory>
    where
        Lent<'scope, M::Memory>: LentCast<M::Memory>,
    {
        let (address, len) = memory.__place();
        // SAFETY: the memory is borrowed for `'env`, which outlives the scope; reads need no more.
        unsafe { Lent::shared(address, len) }
    }
}
