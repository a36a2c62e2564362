//! Fills in a scope.

use super::Scope;
use super::copy::LentDestination;
use crate::__private::FillOn;
use crate::context::context_of;
use crate::copy;
use crate::error::Result;
use crate::memory::operand::DeviceDestination;
use crate::memory::{DeviceCopy, DeviceSlice};

/// Device memory that can be filled with `T`s in a scope.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be filled with a `{T}` in this scope",
    label = "the value must have the element type, and the memory be the device's and live as long as the scope"
)]
pub trait ScopedFill<'scope, 'env, T> {
    #[doc(hidden)]
    #[track_caller]
    fn fill_in(self, value: T, scope: &Scope<'scope, 'env>) -> Result<()>;
}

/// Queues the fill; the value is in the calls themselves, so that nothing is read later.
///
/// # Safety
///
/// `len` elements at `address` are device memory, borrowed exclusively until the scope ends.
#[track_caller]
unsafe fn queue<T: DeviceCopy>(address: u64, len: usize, value: &T, scope: &Scope<'_, '_>) -> Result<()> {
    if len == 0 || size_of::<T>() == 0 {
        return Ok(());
    }
    // SAFETY: the address lies in device memory that is borrowed until the scope ends, so its context stays open.
    let context = unsafe { context_of(address)? };
    let value = bytemuck::bytes_of(value);
    let exposes = copy::has_managed_memory();
    if exposes && !copy::fills_by_one_call(value, address) {
        // Refused half-way, it is in flight half-way.
        scope.expose();
    }
    let exposing = scope.exposing(exposes);
    // SAFETY: the caller's contract, and the scope waits.
    exposing.ends_with(unsafe { copy::fill_by_sets(context, address, value, len, scope.mode()) })
}

impl<'env, T: DeviceCopy> ScopedFill<'_, 'env, T> for DeviceDestination<'env, T> {
    #[track_caller]
    fn fill_in(self, value: T, scope: &Scope<'_, 'env>) -> Result<()> {
        // SAFETY: borrowed exclusively for `'env`.
        unsafe { queue(self.address(), self.len(), &value, scope) }
    }
}

impl<'scope, T: DeviceCopy> ScopedFill<'scope, '_, T> for LentDestination<'_, 'scope, DeviceSlice<T>> {
    #[track_caller]
    fn fill_in(self, value: T, scope: &Scope<'scope, '_>) -> Result<()> {
        // SAFETY: lent to the scope exclusively.
        unsafe { queue(self.0.address(), self.0.len(), &value, scope) }
    }
}

impl<'scope, 'env, D: ScopedFill<'scope, 'env, T>, T> FillOn<D, T> for &Scope<'scope, 'env> {
    #[track_caller]
    fn fill(self, destination: D, value: T) -> Result<()> {
        destination.fill_in(value, self)
    }
}
