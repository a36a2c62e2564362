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
    field::Probe,
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

/// Writes a reason: a type, and a trait that nothing implements, so that its text is what an unfit field gives.
macro_rules! reason {
    ($(#[$doc:meta])* $reason:ident, $never:ident, $message:literal, $label:literal $(, $note:literal)?) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub struct $reason;

        /// Implemented by nothing, so that its text is what an unfit field gives.
        ///
        /// # Safety
        ///
        /// There is no sound implementation.
        #[diagnostic::on_unimplemented(message = $message, label = $label, $(note = $note)?)]
        pub unsafe trait $never {}

        impl $reason {
            /// Never compiles.
            pub fn verify<S, T: $never>(self, _field: Probe<S, T>) {}
        }
    };
}

/// Writes that a reason speaks against no field that is checked.
macro_rules! fit_if_checked {
    ($($reason:ident),*) => {$(
        impl $reason {
            /// Whether the bytes of the field are those of a value.
            #[must_use]
            pub fn is_valid<S, T: CheckedData>(self, elements: Elements<S, T>, place: Place<'_>) -> bool {
                elements.are_valid(place)
            }
        }
    )*};
}

/// Writes that a reason speaks against checked fields too.
macro_rules! never_fit {
    ($($reason:ident: $never:ident),*) => {$(
        impl $reason {
            /// Never compiles.
            #[must_use]
            pub fn is_valid<S, T: $never>(self, _elements: Elements<S, T>, _place: Place<'_>) -> bool {
                false
            }
        }
    )*};
}

reason! {
    /// It has bit patterns that are no `bool`.
    Bool, NotBool,
    "`{Self}` is not plain data: the device may write a byte other than 0 and 1",
    "use `u8`, or put `#[device_copy(checked)]` above the struct"
}
reason! {
    /// It has bit patterns that are no `char`.
    Char, NotChar,
    "`{Self}` is not plain data: the device may write a number that is no `char`",
    "use `u32`, or put `#[device_copy(checked)]` above the struct"
}
reason! {
    /// It has a bit pattern that is no value.
    NonZero, NotNonZero,
    "`{Self}` is not plain data: the device may write 0",
    "use `Option<{Self}>`, or put `#[device_copy(checked)]` above the struct"
}
reason! {
    /// It is a derived type that is checked when it comes back.
    Checked, NotChecked,
    "`{Self}` is checked when it comes back, and the type that holds it is not",
    "put `#[device_copy(checked)]` above the struct"
}
reason! {
    /// It points at host memory.
    Pointer, NotPointer,
    "`{Self}` points at host memory",
    "point at device memory: `DevicePointer<T>`"
}
reason! {
    /// It owns host memory.
    Owner, NotOwner,
    "`{Self}` owns host memory",
    "hold a `[T; N]`, or point at device memory: `DevicePointer<T>`"
}
reason! {
    /// It may have no value.
    Uninit, NotUninit,
    "`{Self}` may be uninitialised, and then it has no bytes to copy",
    "use the type inside it"
}
fit_if_checked!(Bool, Char, NonZero, Checked);
never_fit!(Pointer: NotPointer, Owner: NotOwner, Uninit: NotUninit);
