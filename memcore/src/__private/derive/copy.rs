//! Is the struct `Copy`?

use core::marker::PhantomData;

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
