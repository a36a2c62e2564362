//! What the macros' expansions name. No part of the public interface.

pub mod derive;
pub mod test;

pub use crate::memory::Window;
pub use crate::memory::operand::{IntoDestination, ToDestination, ToSource};
pub use crate::memory::pair::{Pair, RawPair};

pub use crate::copy::Order;

use crate::error::Result;
use crate::memory::DeviceCopy;
use crate::memory::operand::{DeviceDestination, HostDestination};
use crate::stream::Stream;

/// The third operand of a macro: where the operation runs. A trait over both other operands, so that each kind of third
/// operand accepts exactly the operands that are sound with it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be what a copy runs on",
    label = "a `Stream`, by value or by reference, or a scope is expected"
)]
pub trait On {
    /// What it becomes.
    type On;
    /// Makes it.
    fn __as_stream(self) -> Self::On;
}

impl<'s> On for &'s Stream {
    type On = &'s Stream;

    fn __as_stream(self) -> &'s Stream {
        self
    }
}

/// No third operand: a stream of the context's own.
#[derive(Clone, Copy, Debug)]
pub struct Now;

/// A copy from `S` to `D` where `Self` says.
pub trait CopyOn<D, S> {
    #[doc(hidden)]
    #[track_caller]
    fn copy(self, destination: D, source: S) -> Result<()>;
}

impl<D: Pair<S>, S> CopyOn<D, S> for Now {
    #[track_caller]
    fn copy(self, destination: D, source: S) -> Result<()> {
        destination.copy(source, Order::Now)
    }
}

impl<D: Pair<S>, S> CopyOn<D, S> for &Stream {
    #[track_caller]
    fn copy(self, destination: D, source: S) -> Result<()> {
        destination.copy(source, Order::On(self))
    }
}

/// Copies `source` to `destination`; complete on return.
///
/// # Errors
///
/// What the pair's own copy fails with.
#[track_caller]
pub fn copy<D, S>(destination: D, source: S, on: impl CopyOn<D, S>) -> Result<()> {
    on.copy(destination, source)
}

/// Queues a copy of `source` to `destination`.
///
/// # Errors
///
/// What the pair's own copy fails with.
///
/// # Safety
///
/// As [`RawPair`].
#[track_caller]
pub unsafe fn copy_raw<D: RawPair<S>, S>(destination: D, source: S, stream: &Stream) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { destination.copy_raw(source, stream) }
}

/// An operand without a window.
///
/// # Errors
///
/// None.
#[allow(clippy::unnecessary_wraps, reason = "as `window`")]
pub fn whole<V>(operand: V) -> Result<V> {
    Ok(operand)
}

/// A window of an operand.
///
/// # Errors
///
/// [`WindowOutside`](crate::Error::WindowOutside).
pub fn window<V: Window<I>, I>(operand: V, index: I) -> Result<V> {
    operand.__window(index)
}

/// As [`copy`], of operands that may be windows.
///
/// # Errors
///
/// The windows', the destination's first; else what the pair's own copy fails with.
#[track_caller]
pub fn copy_window<D, S>(destination: Result<D>, source: Result<S>, on: impl CopyOn<D, S>) -> Result<()> {
    on.copy(destination?, source?)
}

/// As [`copy_raw`], of operands that may be windows.
///
/// # Errors
///
/// As [`copy_window`].
///
/// # Safety
///
/// As [`RawPair`].
#[track_caller]
pub unsafe fn copy_window_raw<D: RawPair<S>, S>(
    destination: Result<D>,
    source: Result<S>,
    stream: &Stream,
) -> Result<()> {
    let (destination, source) = (destination?, source?);
    // SAFETY: the caller's contract.
    unsafe { destination.copy_raw(source, stream) }
}

/// Memory that can be filled with `T`s.
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be filled with a `{T}`",
    label = "the value must have the element type"
)]
pub trait Fill<T> {
    #[doc(hidden)]
    #[track_caller]
    fn fill(self, value: T, order: Order<'_>) -> Result<()>;
}

impl<T: DeviceCopy> Fill<T> for DeviceDestination<'_, T> {
    #[track_caller]
    fn fill(self, value: T, order: Order<'_>) -> Result<()> {
        self.into_slice().fill_in_order(value, order)
    }
}

impl<T: DeviceCopy> Fill<T> for HostDestination<'_, T> {
    #[track_caller]
    fn fill(self, value: T, _order: Order<'_>) -> Result<()> {
        self.fill(value);
        Ok(())
    }
}

/// A fill of `D` with `T`s where `Self` says.
pub trait FillOn<D, T> {
    #[doc(hidden)]
    #[track_caller]
    fn fill(self, destination: D, value: T) -> Result<()>;
}

impl<D: Fill<T>, T> FillOn<D, T> for Now {
    #[track_caller]
    fn fill(self, destination: D, value: T) -> Result<()> {
        destination.fill(value, Order::Now)
    }
}

impl<D: Fill<T>, T> FillOn<D, T> for &Stream {
    #[track_caller]
    fn fill(self, destination: D, value: T) -> Result<()> {
        destination.fill(value, Order::On(self))
    }
}

/// Fills `destination` with `value`; complete on return.
///
/// # Errors
///
/// The driver's code.
#[track_caller]
pub fn fill<D, T>(destination: D, value: T, on: impl FillOn<D, T>) -> Result<()> {
    on.fill(destination, value)
}

/// As [`fill`], of a window.
///
/// # Errors
///
/// The window's; the driver's code.
#[track_caller]
pub fn fill_window<D, T>(destination: Result<D>, value: T, on: impl FillOn<D, T>) -> Result<()> {
    on.fill(destination?, value)
}
