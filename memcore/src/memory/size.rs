//! Lengths and sizes.

use crate::error::{Error, Result, ViewError};

/// The bytes of `len` elements of `T`, at most what a slice may have.
pub(crate) fn bytes_of<T>(len: usize) -> Result<usize> {
    let bytes = len.checked_mul(size_of::<T>()).filter(|bytes| isize::try_from(*bytes).is_ok());
    bytes.ok_or(Error::SizeOverflow { len, element_size: size_of::<T>() })
}

/// How many `U` the memory of `len` elements of `T` at `address` holds, if it can be viewed so.
pub(crate) fn view_len<T, U>(address: u64, len: usize) -> Result<usize> {
    let bytes = len * size_of::<T>();
    let reason = if size_of::<U>() == 0 {
        "a type without bytes has no number of elements"
    } else if !bytes.is_multiple_of(size_of::<U>()) {
        "the size is no multiple of the new element's"
    } else if bytes != 0 && !address.is_multiple_of(align_of::<U>() as u64) {
        "the address is not aligned for the new element"
    } else {
        return Ok(bytes / size_of::<U>());
    };
    Err(ViewError::error::<T, U>(address, len, reason))
}

pub(crate) fn same_len(destination_len: usize, source_len: usize) -> Result<()> {
    if destination_len == source_len { Ok(()) } else { Err(Error::LengthMismatch { destination_len, source_len }) }
}
