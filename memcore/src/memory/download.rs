//! Downloads to the host, checked where not every bit pattern is a value.

use core::any::type_name;

use super::device_copy::{DeviceCopy, is_any_bit_pattern};
use super::host_vec::host_vec;
use super::operand::HostDestination;
use super::size::same_len;
use super::slice::DeviceSlice;
use crate::__private::derive::path;
use crate::copy::{self, HostKind, Mode, Order};
use crate::error::{Error, Result};

/// Copies `source` to the host; after a success every element of `destination` is a value of `T`.
///
/// Where any bytes are a `T` they land in the destination directly. Elsewhere they land in scratch memory, and reach
/// the destination only if all are valid.
#[track_caller]
pub(crate) fn download<T: DeviceCopy>(
    destination: &HostDestination<'_, T>,
    source: &DeviceSlice<T>,
    order: Order<'_>,
) -> Result<()> {
    same_len(destination.len(), source.len())?;
    if source.size_in_bytes() == 0 {
        return Ok(());
    }
    let mode = Mode::Waited(order);
    if is_any_bit_pattern::<T>() {
        // SAFETY: as many bytes on both sides, both borrowed for this call, which waits.
        return unsafe { download_bytes(destination.as_mut_ptr(), destination.kind(), source, mode) };
    }
    let mut scratch: Vec<T::Bits> = host_vec(source.len(), || source.context())?;
    // SAFETY: the scratch has room for as many `Bits`, which have the size of `T`, and the call waits.
    unsafe { download_bytes(scratch.as_mut_ptr(), HostKind::Unknown, source, mode)? };
    // SAFETY: the capacity is at least the length, and the download wrote all bytes, any of which are `Bits`.
    unsafe { scratch.set_len(source.len()) };
    if let Some(index) = scratch.iter().position(|bits| !T::is_valid_bit_pattern(bits)) {
        let field = path::explain(|| T::is_valid_bit_pattern(&scratch[index]));
        return Err(Error::InvalidValue { index, type_name: type_name::<T>(), field });
    }
    let checked = scratch.as_ptr().cast::<T>();
    // SAFETY: `Bits` has the layout of `T`, every element was found to be a value of `T`, and the two do not overlap.
    unsafe { destination.as_mut_ptr().copy_from_nonoverlapping(checked, source.len()) };
    Ok(())
}

/// Copies the bytes of `source`.
///
/// # Safety
///
/// As [`copy::download`], for the bytes of `source`, which are some.
#[track_caller]
pub(crate) unsafe fn download_bytes<T, U>(
    destination: *mut U,
    kind: HostKind,
    source: &DeviceSlice<T>,
    mode: Mode<'_>,
) -> Result<()> {
    let (context, bytes) = (source.context()?, source.size_in_bytes());
    // SAFETY: the caller's contract.
    unsafe { copy::download(context, destination.cast(), kind, source.address(), bytes, mode) }
}
