//! Slices of device memory.

mod fill;
mod index;
mod parts;
mod transfer;
mod view;
mod within;

pub use index::DeviceIndex;
pub use parts::{Chunks, ChunksExact, ChunksExactMut, ChunksMut};
pub(crate) use within::resolve;

use core::fmt;
use core::marker::PhantomData;
use core::ptr;

use super::pointer::DevicePointer;
use crate::context::{Inner, context_of};
use crate::error::Result;

/// A stretch of device memory that holds `T`s: what `[T]` is on the host.
///
/// It is used behind a reference, `&DeviceSlice<T>` or `&mut DeviceSlice<T>`, which the borrow checker treats as it
/// treats `&[T]` and `&mut [T]`: slicing, splitting and chunks work alike, and no two `&mut` overlap. The reference's
/// address *is* the device address and its length the number of elements; there is no element behind it that the host
/// could read, so it is `copy!`, `fill!` and the methods here that move bytes.
///
/// Lengths and positions count elements. An index out of range panics, as it does on `[T]`; [`get`](Self::get) asks.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut dev = device_vec![0u32; 8]?;
/// let (left, right) = dev.split_at_mut(4);
/// copy!(left <- [1, 2, 3, 4])?;
/// copy!(right[..2] <- left[2..])?;
/// assert_eq!(dev.to_vec()?, [1, 2, 3, 4, 3, 4, 0, 0]);
/// # Ok::<(), memcore::Error>(())
/// ```
// INVARIANT of a reference to it: the length times the size of `T` is at most `isize::MAX`; and unless that is 0, the
// bytes from the address on are device memory of a context that stays open for the reference's lifetime, to be used
// under the rules for `&[T]` and `&mut [T]`; they are initialised, or the caller of an `uninitialized` constructor
// answers for their not being read. The address is never null.
#[repr(transparent)]
pub struct DeviceSlice<T> {
    /// Zero-sized: Rust can read nothing through a reference to it.
    elements: [PhantomData<T>],
}

impl<T> DeviceSlice<T> {
    /// The slice of `len` elements from `pointer` on.
    ///
    /// # Safety
    ///
    /// For `'a`: `len` elements from `pointer` on are device memory of a context that is open in memcore
    /// ([`Context`](crate::Context)), initialised, and written by nobody. A `len` of 0 asks for nothing, and any
    /// pointer will do.
    #[must_use]
    pub unsafe fn from_raw_parts<'a>(pointer: DevicePointer<T>, len: usize) -> &'a Self {
        let elements = ptr::slice_from_raw_parts(address_for::<T>(pointer.as_raw(), len).cast_const(), len);
        // SAFETY: the elements have no size, so that nothing lies behind the reference; it is aligned (to 1) and not
        // null. The caller answers for the device's side.
        unsafe { &*(elements as *const Self) }
    }

    /// The mutable slice of `len` elements from `pointer` on.
    ///
    /// # Safety
    ///
    /// For `'a`: `len` elements from `pointer` on are device memory of a context that is open in memcore
    /// ([`Context`](crate::Context)), initialised, and used through nothing else. A `len` of 0 asks for nothing, and
    /// any pointer will do.
    #[must_use]
    pub unsafe fn from_raw_parts_mut<'a>(pointer: DevicePointer<T>, len: usize) -> &'a mut Self {
        let elements = ptr::slice_from_raw_parts_mut(address_for::<T>(pointer.as_raw(), len), len);
        // SAFETY: the elements have no size, so that nothing lies behind the reference; it is aligned (to 1) and not
        // null. The caller answers for the device's side.
        unsafe { &mut *(elements as *mut Self) }
    }

    /// How many elements there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }

    /// How many bytes the elements have.
    #[must_use]
    pub const fn size_in_bytes(&self) -> usize {
        self.len() * size_of::<T>()
    }

    /// The first element's address, for a kernel or another library. An empty slice has an address too, which is not
    /// null and has no memory.
    #[must_use]
    pub fn as_device_ptr(&self) -> DevicePointer<T> {
        DevicePointer::from_raw(self.address())
    }

    pub(crate) fn address(&self) -> u64 {
        self.elements.as_ptr().addr() as u64
    }

    /// The open context that the memory belongs to. Not to be asked of a slice without bytes.
    pub(crate) fn context(&self) -> Result<&Inner> {
        // SAFETY: by the invariant the address lies in memory of a context that stays open for `&self`.
        unsafe { context_of(self.address()) }
    }
}

/// The address as a pointer to elements without size; a dangling, aligned one where there is no memory to point to.
fn address_for<T>(address: u64, len: usize) -> *mut PhantomData<T> {
    if len == 0 || address == 0 {
        ptr::without_provenance_mut(align_of::<T>().max(DANGLING_ALIGN))
    } else {
        ptr::without_provenance_mut(address as usize)
    }
}

/// Empty slices look as aligned as device memory is.
const DANGLING_ALIGN: usize = 256;

/// An empty slice.
impl<T> Default for &DeviceSlice<T> {
    fn default() -> Self {
        // SAFETY: a length of 0 asks for nothing.
        unsafe { DeviceSlice::from_raw_parts(DevicePointer::null(), 0) }
    }
}

/// An empty slice.
impl<T> Default for &mut DeviceSlice<T> {
    fn default() -> Self {
        // SAFETY: a length of 0 asks for nothing.
        unsafe { DeviceSlice::from_raw_parts_mut(DevicePointer::null(), 0) }
    }
}

/// Shows address and length; the contents are out of the host's reach.
impl<T> fmt::Debug for DeviceSlice<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceSlice").field("address", &self.as_device_ptr()).field("len", &self.len()).finish()
    }
}
