//! Where the elements of a view of an array are.

use core::ptr::NonNull;

use super::owner::RawArray;
use crate::context::Inner;
use crate::driver::ffi::CUarray;

/// The array of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArrayPlace(NonNull<RawArray>);

// SAFETY: it is a name, and what is named is used by unsafe functions alone; the owner is `Send` and `Sync`.
unsafe impl Send for ArrayPlace {}
// SAFETY: as above.
unsafe impl Sync for ArrayPlace {}

const _: () = {
    const fn goes_to_any_thread<T: Send + Sync>() {}
    goes_to_any_thread::<RawArray>();
};

impl ArrayPlace {
    pub(super) fn of(array: &RawArray) -> Self {
        Self(NonNull::from(array))
    }

    /// The context of the array.
    ///
    /// # Safety
    ///
    /// The owner is alive, and stays where it is, for `'a`.
    pub(crate) unsafe fn context<'a>(self) -> &'a Inner {
        // SAFETY: the caller's contract.
        unsafe { self.0.as_ref() }.context()
    }

    /// The driver's handle, and whether the array's slices are layers or faces.
    ///
    /// # Safety
    ///
    /// The owner is alive, where it was.
    pub(crate) unsafe fn handle(self) -> (CUarray, bool) {
        // SAFETY: the caller's contract.
        let array = unsafe { self.0.as_ref() };
        (array.handle(), array.has_layers())
    }
}
