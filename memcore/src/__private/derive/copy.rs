//! Is the struct `Copy`?

use core::marker::PhantomData;

use crate::memory::DeviceCopy;

/// Stands for the struct `S` and the tuple `F` of all its fields.
#[derive(Debug)]
pub struct Whole<S, F>(PhantomData<fn(S) -> F>);

/// The struct whose fields a function takes out.
#[must_use]
pub const fn whole<S, F>(_fields: fn(S) -> F) -> Whole<S, F> {
    Whole(PhantomData)
}

/// A type that is copied by copying its bytes.
///
/// # Safety
///
/// Implemented for every `Copy` type and for no other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `Copy`, as device data must be",
    label = "not `Copy`",
    note = "write `#[derive(Clone, Copy, DeviceCopy)]`"
)]
pub unsafe trait CopyData {}

#[diagnostic::do_not_recommend]
// SAFETY: it is `Copy`.
unsafe impl<T: Copy> CopyData for T {}

impl<S, F: Copy> Whole<S, F> {
    /// Compiles if the struct is `Copy`.
    pub fn memcore_verify_copy(self)
    where
        S: CopyData,
    {
    }
}

/// Verifies nothing for a struct that cannot be `Copy`, because some field is not: the error is that field's.
pub trait VerifyCopy: Sized {
    /// Always compiles.
    fn memcore_verify_copy(self) {}
}

impl<S, F> VerifyCopy for Whole<S, F> {}

/// Compiles if the type is `Copy`.
pub const fn verify_copy<S: CopyData>() {}

/// A type with the traits of device data.
///
/// # Safety
///
/// Implemented for every `DeviceCopy` type and for no other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not `DeviceCopy`, and so has no layout on a device",
    label = "not device data",
    note = "write `#[derive(Clone, Copy, DeviceCopy)]`, which implements `DeviceLayout` too"
)]
pub unsafe trait DeviceData {}

#[diagnostic::do_not_recommend]
// SAFETY: it is `DeviceCopy`.
unsafe impl<T: DeviceCopy> DeviceData for T {}

/// Compiles if the type is `DeviceCopy`.
pub const fn verify_device_copy<S: DeviceData>() {}
