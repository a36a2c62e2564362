//! Field types that are often met where they cannot go, each with the text that says what to write instead.

use core::{
    mem::MaybeUninit,
    num::{
        NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
        NonZeroU64, NonZeroU128, NonZeroUsize,
    },
    ptr::NonNull,
};
use std::{rc::Rc, sync::Arc};

use super::{
    check::{CheckedData, Elements, Place},
    field::Types,
};

/// A field type that is often met where it cannot go, and why it cannot.
///
/// # Safety
///
/// The type is not to be part of plain device data, even where it is `Pod`, as raw pointers are.
pub unsafe trait Unfit {
    /// One of the types below; its method `verify` says what to write instead.
    type Reason: Default;
}

// SAFETY: an array is as unfit as its elements.
unsafe impl<T: Unfit, const N: usize> Unfit for [T; N] {
    type Reason = T::Reason;
}

/// Implements [`Unfit`]; the brackets hold the parameters.
macro_rules! unfit {
    ($reason:ident: $([$($parameter:tt)*] $type:ty),+ $(,)?) => {
        // SAFETY: the text of the reason says why.
        $(unsafe impl<$($parameter)*> Unfit for $type {
            type Reason = $reason;
        })+
    };
}

unfit!(Bool: [] bool);
unfit!(Char: [] char);
unfit!(NonZero: [] NonZeroU8, [] NonZeroU16, [] NonZeroU32, [] NonZeroU64, [] NonZeroU128, [] NonZeroUsize);
unfit!(NonZero: [] NonZeroI8, [] NonZeroI16, [] NonZeroI32, [] NonZeroI64, [] NonZeroI128, [] NonZeroIsize);
unfit!(Pointer: ['r, T: ?Sized] &'r T, ['r, T: ?Sized] &'r mut T, [T: ?Sized] *const T, [T: ?Sized] *mut T);
unfit!(Pointer: [T: ?Sized] NonNull<T>, [T: ?Sized] Option<NonNull<T>>);
unfit!(Owner: [T: ?Sized] Box<T>, [T: ?Sized] Rc<T>, [T: ?Sized] Arc<T>, [T] Vec<T>, [] String);
unfit!(Uninit: [T] MaybeUninit<T>);

/// Writes that a reason speaks against no field that is checked.
macro_rules! fit_if_checked {
    ($($reason:ident),*) => {$(
        impl $reason {
            /// Whether the bytes of the field are those of a value.
            #[must_use]
            pub fn check<S, T: CheckedData>(self, elements: Elements<S, T>, place: Place<'_>) -> bool {
                elements.are_valid(place)
            }
        }
    )*};
}

// Each is written out, since an error shows the lines that it comes from: a macro would show itself too.

/// It has bit patterns that are no `bool`.
#[derive(Debug, Default)]
pub struct Bool;

/// Implemented by nothing, so that its text is what an unfit field gives.
///
/// # Safety
///
/// There is no sound implementation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data: the device may write a byte other than 0 and 1",
    label = "use `u8`, or put `#[device_copy(checked)]` above the struct"
)]
pub unsafe trait NotBool {}

impl Bool {
    /// Never compiles.
    pub fn verify<S, T: NotBool>(self, _field: Types<S, T>) {}
}

/// It has bit patterns that are no `char`.
#[derive(Debug, Default)]
pub struct Char;

/// Implemented by nothing, so that its text is what an unfit field gives.
///
/// # Safety
///
/// There is no sound implementation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data: the device may write a number that is no `char`",
    label = "use `u32`, or put `#[device_copy(checked)]` above the struct"
)]
pub unsafe trait NotChar {}

impl Char {
    /// Never compiles.
    pub fn verify<S, T: NotChar>(self, _field: Types<S, T>) {}
}

/// It has a bit pattern that is no value.
#[derive(Debug, Default)]
pub struct NonZero;

/// Implemented by nothing, so that its text is what an unfit field gives.
///
/// # Safety
///
/// There is no sound implementation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data: the device may write 0",
    label = "use `Option<{Self}>`, or put `#[device_copy(checked)]` above the struct"
)]
pub unsafe trait NotNonZero {}

impl NonZero {
    /// Never compiles.
    pub fn verify<S, T: NotNonZero>(self, _field: Types<S, T>) {}
}

/// It is a derived type that is checked when it comes back.
#[derive(Debug, Default)]
pub struct Checked;

/// Implemented by nothing, so that its text is what an unfit field gives.
///
/// # Safety
///
/// There is no sound implementation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is checked when it comes back, and the type that holds it is not",
    label = "put `#[device_copy(checked)]` above the struct"
)]
pub unsafe trait NotChecked {}

impl Checked {
    /// Never compiles.
    pub fn verify<S, T: NotChecked>(self, _field: Types<S, T>) {}
}

/// It points at host memory.
#[derive(Debug, Default)]
pub struct Pointer;

/// Implemented by nothing, so that its text is what an unfit field gives.
///
/// # Safety
///
/// There is no sound implementation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` points at host memory",
    label = "point at device memory: `DevicePointer<T>`"
)]
pub unsafe trait NotPointer {}

impl Pointer {
    /// Never compiles.
    pub fn verify<S, T: NotPointer>(self, _field: Types<S, T>) {}

    /// Never compiles.
    #[must_use]
    pub fn check<S, T: NotPointer>(self, _elements: Elements<S, T>, _place: Place<'_>) -> bool {
        false
    }
}

/// It owns host memory.
#[derive(Debug, Default)]
pub struct Owner;

/// Implemented by nothing, so that its text is what an unfit field gives.
///
/// # Safety
///
/// There is no sound implementation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` owns host memory",
    label = "hold a `[T; N]`, or point at device memory: `DevicePointer<T>`"
)]
pub unsafe trait NotOwner {}

impl Owner {
    /// Never compiles.
    pub fn verify<S, T: NotOwner>(self, _field: Types<S, T>) {}

    /// Never compiles.
    #[must_use]
    pub fn check<S, T: NotOwner>(self, _elements: Elements<S, T>, _place: Place<'_>) -> bool {
        false
    }
}

/// It may have no value.
#[derive(Debug, Default)]
pub struct Uninit;

/// Implemented by nothing, so that its text is what an unfit field gives.
///
/// # Safety
///
/// There is no sound implementation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` may be uninitialised, and then it has no bytes to copy",
    label = "use the type inside it"
)]
pub unsafe trait NotUninit {}

impl Uninit {
    /// Never compiles.
    pub fn verify<S, T: NotUninit>(self, _field: Types<S, T>) {}

    /// Never compiles.
    #[must_use]
    pub fn check<S, T: NotUninit>(self, _elements: Elements<S, T>, _place: Place<'_>) -> bool {
        false
    }
}

fit_if_checked!(Bool, Char, NonZero, Checked);
