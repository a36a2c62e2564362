//! Is a field plain data?

use core::marker::PhantomData;

use bytemuck::Pod;

use super::unfit::Unfit;

/// Stands for a field of the struct `S`, whose type `T` is inferred.
///
/// Its method `memcore_classify` is an inherent one where `T` is [`Unfit`], and that of [`Classify`] for any other:
/// both take `self`, so that no trait of the program comes before them.
#[derive(Debug)]
pub struct Probe<S, T> {
    /// The same, for what asks of the types alone.
    pub types: Types<S, T>,
}

/// The struct and the type of its field.
pub type Types<S, T> = PhantomData<fn(S) -> T>;

impl<S, T> Clone for Probe<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, T> Copy for Probe<S, T> {}

/// The probe for the field that a function takes out of the struct.
#[must_use]
pub const fn probe<S, T>(_field: fn(S) -> T) -> Probe<S, T> {
    Probe { types: PhantomData }
}

/// The probe for the field from which a function makes the union `S`.
#[must_use]
pub const fn probe_put<S, T>(_field: fn(T) -> S) -> Probe<S, T> {
    Probe { types: PhantomData }
}

impl<S, T: Unfit> Probe<S, T> {
    /// The reason why it is unfit.
    #[must_use]
    pub fn memcore_classify(self) -> T::Reason {
        T::Reason::default()
    }
}

/// Finds no reason.
pub trait Classify: Sized {
    /// No reason.
    fn memcore_classify(self) -> Fit {
        Fit
    }
}

impl<S, T> Classify for Probe<S, T> {}

/// Nothing speaks against the type so far.
#[derive(Debug)]
pub struct Fit;

impl Fit {
    /// Compiles if the field is plain data.
    pub fn verify<S, T: PlainData>(self, _field: Types<S, T>) {}
}

/// Data of which every bit pattern is a value and no byte is padding.
///
/// # Safety
///
/// Implemented for every `Pod` type and for no other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data, as every field of device data must be",
    label = "not plain data",
    note = "if it is a type of your own, put `#[derive(Clone, Copy, DeviceCopy)]` above it, and `#[repr(C)]` above a \
            struct or `#[repr(u32)]` above an enum",
    note = "if it comes from another crate, look there for a feature named `bytemuck`"
)]
pub unsafe trait PlainData: 'static {}

#[diagnostic::do_not_recommend]
// SAFETY: `Pod` has the same contract.
unsafe impl<T: Pod> PlainData for T {}
