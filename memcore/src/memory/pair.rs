//! Which operands can be copied to which, and how each pair is.

use core::mem::MaybeUninit;

use bytemuck::AnyBitPattern;

use super::device_copy::DeviceCopy;
use super::download::{download, download_bytes};
use super::operand::{DeviceDestination, DeviceSource, HostDestination, HostSource};
use super::size::same_len;
use super::slice::DeviceSlice;
use crate::copy::{self, Mode, Order};
use crate::error::Result;
use crate::stream::Stream;

/// A copy from `S` to `Self` that is complete on return.
#[diagnostic::on_unimplemented(
    message = "cannot copy a `{S}` to a `{Self}`",
    label = "the two sides must have the same element type, and views as many dimensions",
    note = "of other elements: convert the values on the host; or, where the bytes are meant, `view_as::<T>()` one side",
    note = "memory in rows and memory without: view the latter, `as_2d(width)` or `as_2d_mut(width)`"
)]
pub trait Pair<S> {
    #[doc(hidden)]
    #[track_caller]
    fn copy(self, source: S, order: Order<'_>) -> Result<()>;
}

/// A copy from `S` to `Self` that may be in flight when the call returns.
#[diagnostic::on_unimplemented(
    message = "cannot copy a `{S}` to a `{Self}` asynchronously",
    label = "the two sides must have the same element type, and what comes to the host must be valid whatever its bytes",
    note = "memory that is lent to a scope is used with that scope alone: `copy!(destination <- source, scope)`"
)]
pub trait RawPair<S> {
    /// # Safety
    ///
    /// Until the copy is known to be complete both sides stay allocated, nothing writes the source, and nothing reads
    /// or writes the destination.
    #[doc(hidden)]
    #[track_caller]
    unsafe fn copy_raw(self, source: S, stream: &Stream) -> Result<()>;
}

/// # Safety
///
/// As [`RawPair::copy_raw`], unless `mode` waits.
#[track_caller]
unsafe fn upload<T: DeviceCopy>(
    destination: &mut DeviceSlice<T>,
    source: &HostSource<'_, T>,
    mode: Mode<'_>,
) -> Result<()> {
    let (kind, source) = (source.kind(), source.slice());
    same_len(destination.len(), source.len())?;
    let bytes = destination.size_in_bytes();
    if bytes == 0 {
        return Ok(());
    }
    // SAFETY: as many bytes on both sides, all initialised (`NoUninit`); the borrows or the caller's contract cover the
    // rest.
    unsafe { copy::upload(destination.context()?, destination.address(), source.as_ptr().cast(), kind, bytes, mode) }
}

/// # Safety
///
/// As [`RawPair::copy_raw`], unless `mode` waits.
#[track_caller]
unsafe fn device_to_device<T>(destination: &mut DeviceSlice<T>, source: &DeviceSlice<T>, mode: Mode<'_>) -> Result<()> {
    same_len(destination.len(), source.len())?;
    let bytes = destination.size_in_bytes();
    if bytes == 0 {
        return Ok(());
    }
    let (to, from) = (destination.context()?, source.context()?);
    // SAFETY: as many bytes on both sides, which do not overlap, one being borrowed mutably; the borrows or the
    // caller's contract cover the rest.
    unsafe { copy::device_to_device(to, destination.address(), from, source.address(), bytes, mode) }
}

impl<T: DeviceCopy> Pair<HostSource<'_, T>> for DeviceDestination<'_, T> {
    #[track_caller]
    fn copy(self, source: HostSource<'_, T>, order: Order<'_>) -> Result<()> {
        // SAFETY: both sides are borrowed for this call, which waits.
        unsafe { upload(self.into_slice(), &source, Mode::Waited(order)) }
    }
}

impl<T: DeviceCopy> Pair<DeviceSource<'_, T>> for DeviceDestination<'_, T> {
    #[track_caller]
    fn copy(self, source: DeviceSource<'_, T>, order: Order<'_>) -> Result<()> {
        // SAFETY: both sides are borrowed for this call, which waits.
        unsafe { device_to_device(self.into_slice(), source.slice(), Mode::Waited(order)) }
    }
}

impl<T: DeviceCopy> Pair<DeviceSource<'_, T>> for HostDestination<'_, T> {
    #[track_caller]
    fn copy(self, source: DeviceSource<'_, T>, order: Order<'_>) -> Result<()> {
        download(&self, source.slice(), order)
    }
}

impl<T: DeviceCopy> Pair<DeviceSource<'_, T>> for HostDestination<'_, MaybeUninit<T>> {
    #[track_caller]
    fn copy(self, source: DeviceSource<'_, T>, order: Order<'_>) -> Result<()> {
        download(&self.of_elements(), source.slice(), order)
    }
}

/// Host to host: the CPU copies, and no stream is asked.
impl<T: DeviceCopy> Pair<HostSource<'_, T>> for HostDestination<'_, T> {
    #[track_caller]
    fn copy(self, source: HostSource<'_, T>, _order: Order<'_>) -> Result<()> {
        let source = source.slice();
        same_len(self.len(), source.len())?;
        // SAFETY: as many elements on both sides, which do not overlap, one being borrowed mutably; `T` is `Copy`.
        unsafe { self.as_mut_ptr().copy_from_nonoverlapping(source.as_ptr(), source.len()) };
        Ok(())
    }
}

impl<T: DeviceCopy> RawPair<HostSource<'_, T>> for DeviceDestination<'_, T> {
    #[track_caller]
    unsafe fn copy_raw(self, source: HostSource<'_, T>, stream: &Stream) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe { upload(self.into_slice(), &source, Mode::Raw(stream)) }
    }
}

impl<T: DeviceCopy> RawPair<DeviceSource<'_, T>> for DeviceDestination<'_, T> {
    #[track_caller]
    unsafe fn copy_raw(self, source: DeviceSource<'_, T>, stream: &Stream) -> Result<()> {
        // SAFETY: the caller's contract.
        unsafe { device_to_device(self.into_slice(), source.slice(), Mode::Raw(stream)) }
    }
}

impl<T: DeviceCopy + AnyBitPattern> RawPair<DeviceSource<'_, T>> for HostDestination<'_, T> {
    #[track_caller]
    unsafe fn copy_raw(self, source: DeviceSource<'_, T>, stream: &Stream) -> Result<()> {
        let source = source.slice();
        same_len(self.len(), source.len())?;
        if source.size_in_bytes() == 0 {
            return Ok(());
        }
        // SAFETY: as many bytes on both sides; the caller's contract covers the rest.
        unsafe { download_bytes(self.as_mut_ptr(), self.kind(), source, Mode::Raw(stream)) }
    }
}
