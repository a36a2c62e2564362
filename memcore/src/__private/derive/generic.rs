//! Are the fields of a struct with parameters of one type, whatever the parameters are?

use core::marker::PhantomData;

use super::check::Elements;

/// The field holds something.
#[derive(Debug)]
pub struct Holds;

/// The field is a `PhantomData`, which takes no room and needs no alignment.
#[derive(Debug)]
pub struct HoldsNothing;

impl<S, T: ?Sized> Elements<S, PhantomData<T>> {
    /// Nothing.
    #[must_use]
    pub fn memcore_hold(self) -> HoldsNothing {
        HoldsNothing
    }
}

/// Finds no `PhantomData`.
pub trait NotPhantom: Sized {
    /// Something.
    fn memcore_hold(self) -> Holds {
        Holds
    }
}

impl<S, T> NotPhantom for Elements<S, T> {}

impl Holds {
    /// Compiles if both are of one type.
    pub fn verify<S, T: SameAs<U>, U>(self, _field: Elements<S, T>, _first: Elements<S, U>) {}
}

impl HoldsNothing {
    /// Compiles.
    pub fn verify<S, T, U>(self, _field: Elements<S, T>, _first: Elements<S, U>) {}
}

/// A type beside which another leaves no padding, whatever its size and its alignment: itself.
///
/// # Safety
///
/// `Self` is `T`, or no field is a `T`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` beside `{T}` leaves padding for some parameters of this struct, as far as can be told",
    label = "not `{T}`, which the field before it is made of",
    note = "list the instances that you use, as in `#[device_copy(instances(Name<f32, 4>))]`, or write `#[repr(C, packed)]`"
)]
pub unsafe trait SameAs<T> {}

/// With two implementations the compiler does not infer one type from the other, and says the text above where they differ.
#[derive(Debug)]
pub struct NeverAField<T>(PhantomData<T>);

// SAFETY: no field has that type, which nothing makes.
unsafe impl<T> SameAs<NeverAField<T>> for T {}

#[diagnostic::do_not_recommend]
// SAFETY: they are one type.
unsafe impl<T> SameAs<T> for T {}
