//! An owned array of device memory.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use bytemuck::Zeroable;

use super::owner::DeviceMemory;
use crate::context::{AllocateIn, Context, Heap, Prepare};
use crate::copy::Filled;
use crate::error::{Error, Result};
use crate::memory::size::bytes_of;
use crate::memory::{DeviceCopy, DevicePointer, DeviceSlice};

/// An array of `T`s in device memory, which it owns: what `Box<[T]>` is on the host.
///
/// It derefs to [`DeviceSlice`], which has the copies, ranges and fills. [`device_vec!`](crate::device_vec) makes one.
/// Dropped, it is freed; the drop neither waits nor panics, and a failure goes to
/// [`Context::take_drop_errors`](crate::Context::take_drop_errors). The memory is aligned to at least 256 bytes; for a
/// type that asks for more than the driver gives the constructors say
/// [`Error::Unsupported`](crate::Error::Unsupported). An empty buffer, and one of a type without bytes, has no memory
/// and makes no driver call.
///
/// The constructors with `_in` take a [`Context`], or a [`MemoryPool`](crate::MemoryPool), which the buffer keeps alive; those
/// without use the current context ([`Context::current`]). All are complete on return; they call
/// `cuMemAllocFromPoolAsync` (or `cuMemAlloc_v2`, where the device has no pools) and `cuStreamSynchronize`, on a stream that has
/// no other work; then, on another, what their own text names, and its `cuStreamSynchronize`. Their errors are
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory), with the bytes asked for, free and in total;
/// [`Error::PoolExhausted`](crate::Error::PoolExhausted), of a pool with a maximum;
/// [`Error::SizeOverflow`](crate::Error::SizeOverflow); the driver's code; and, without `_in`, what opening the default
/// context fails with. A failed constructor leaves nothing allocated.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut dev = DeviceBuffer::from_slice(&[1.0f32, 2.0, 3.0])?;
/// dev[1..].set_zero()?;
/// assert_eq!(dev.to_vec()?, [1.0, 0.0, 0.0]);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct DeviceBuffer<T> {
    /// INVARIANT: `None` where there are no bytes, or where they are not this buffer's to free; else memory of as many
    /// bytes as `len` elements have, at `address`.
    pub(super) memory: Option<DeviceMemory>,
    pub(super) address: u64,
    pub(super) len: usize,
    pub(super) marker: PhantomData<T>,
}

impl<T> DeviceBuffer<T> {
    /// A copy of `source`. Driver function: `cuMemcpyHtoDAsync_v2`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[doc(alias = "from_host")]
    #[track_caller]
    pub fn from_slice(source: &[T]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::copied(None, source)
    }

    /// As [`from_slice`](Self::from_slice), in a context, or from a pool.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn from_slice_in(place: &(impl AllocateIn + ?Sized), source: &[T]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::copied(Some(place.__heap()), source)
    }

    /// `len` elements of zero bytes. Driver function: `cuMemsetD8Async`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn zeroed(len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        Self::zeros(None, len)
    }

    /// As [`zeroed`](Self::zeroed), in a context, or from a pool.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn zeroed_in(place: &(impl AllocateIn + ?Sized), len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        Self::zeros(Some(place.__heap()), len)
    }

    /// `len` times `value`. Before the wait: one memset, or a small upload and device copies, as for
    /// [`DeviceSlice::fill`](crate::DeviceSlice::fill).
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn filled(value: T, len: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::repeated(None, value, len)
    }

    /// As [`filled`](Self::filled), in a context, or from a pool.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn filled_in(place: &(impl AllocateIn + ?Sized), value: T, len: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::repeated(Some(place.__heap()), value, len)
    }

    /// Room for `len` elements, whose bytes are whatever they are.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// // SAFETY: every element is written before any is read.
    /// let mut dev = unsafe { DeviceBuffer::<u8>::uninitialized(4)? };
    /// copy!(dev <- [1, 2, 3, 4])?;
    /// assert_eq!(dev.to_vec()?, [1, 2, 3, 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// See the type's page.
    ///
    /// # Safety
    ///
    /// No element is read before it is written, neither by the host nor by a kernel.
    #[doc(alias = "alloc")]
    #[track_caller]
    pub unsafe fn uninitialized(len: usize) -> Result<Self> {
        // SAFETY: nothing is written.
        unsafe { Self::allocate(None, len, ()) }
    }

    /// As [`uninitialized`](Self::uninitialized), in a context, or from a pool.
    ///
    /// # Errors
    ///
    /// See the type's page.
    ///
    /// # Safety
    ///
    /// As [`uninitialized`](Self::uninitialized).
    #[track_caller]
    pub unsafe fn uninitialized_in(place: &(impl AllocateIn + ?Sized), len: usize) -> Result<Self> {
        // SAFETY: nothing is written.
        unsafe { Self::allocate(Some(place.__heap()), len, ()) }
    }

    #[track_caller]
    fn copied(heap: Option<Heap<'_>>, source: &[T]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        // SAFETY: nothing is written.
        let mut buffer = unsafe { Self::allocate(heap, source.len(), ())? };
        buffer.copy_from(source)?;
        Ok(buffer)
    }

    #[track_caller]
    fn repeated(heap: Option<Heap<'_>>, value: T, len: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        let value = bytemuck::bytes_of(&value);
        // SAFETY: `len` values are as many bytes as `len` elements.
        unsafe { Self::allocate(heap, len, Filled { value, count: len }) }
    }

    #[track_caller]
    fn zeros(heap: Option<Heap<'_>>, len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        // A size that overflows is refused before the count is used.
        let count = len.wrapping_mul(size_of::<T>());
        // SAFETY: as many zeros as `len` elements have bytes.
        unsafe { Self::allocate(heap, len, Filled { value: &[0], count }) }
    }

    /// Room for `len` elements, in which `prepare` queues work that is then waited for.
    ///
    /// # Safety
    ///
    /// `prepare` writes at most as many bytes as `len` elements have.
    #[track_caller]
    unsafe fn allocate(heap: Option<Heap<'_>>, len: usize, prepare: impl Prepare) -> Result<Self> {
        let bytes = bytes_of::<T>(len)?;
        if bytes == 0 {
            return Ok(Self { memory: None, address: 0, len, marker: PhantomData });
        }
        let current;
        let heap = match heap {
            Some(heap) => heap,
            None => {
                current = Context::current()?;
                current.__heap()
            }
        };
        // SAFETY: the caller's contract.
        let memory = unsafe { DeviceMemory::allocate(heap, bytes, prepare)? };
        Self::of(memory, len)
    }

    /// The buffer of new memory.
    pub(super) fn of(memory: DeviceMemory, len: usize) -> Result<Self> {
        if !memory.address().is_multiple_of(align_of::<T>() as u64) {
            return Err(Error::Unsupported { what: "device memory of such an alignment" });
        }
        Ok(Self { address: memory.address(), memory: Some(memory), len, marker: PhantomData })
    }

    /// The whole buffer as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &DeviceSlice<T> {
        // SAFETY: by the invariant `len` elements lie at `address`, in a context that `memory` keeps open (where there
        // is none, `from_raw_parts` kept it open); they are initialised, or the caller of an `uninitialized`
        // constructor answers for their not being read; they are borrowed as `self` is.
        unsafe { DeviceSlice::from_raw_parts(DevicePointer::from_raw(self.address), self.len) }
    }

    /// The whole buffer as a mutable slice.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut DeviceSlice<T> {
        // SAFETY: as for `as_slice`; `&mut self` makes it the only use.
        unsafe { DeviceSlice::from_raw_parts_mut(DevicePointer::from_raw(self.address), self.len) }
    }
}

impl<T> Deref for DeviceBuffer<T> {
    type Target = DeviceSlice<T>;

    fn deref(&self) -> &DeviceSlice<T> {
        self.as_slice()
    }
}

impl<T> DerefMut for DeviceBuffer<T> {
    fn deref_mut(&mut self) -> &mut DeviceSlice<T> {
        self.as_mut_slice()
    }
}

impl<T> AsRef<DeviceSlice<T>> for DeviceBuffer<T> {
    fn as_ref(&self) -> &DeviceSlice<T> {
        self
    }
}

impl<T> AsMut<DeviceSlice<T>> for DeviceBuffer<T> {
    fn as_mut(&mut self) -> &mut DeviceSlice<T> {
        self
    }
}

/// An empty buffer, which makes no driver call.
impl<T> Default for DeviceBuffer<T> {
    fn default() -> Self {
        Self { memory: None, address: 0, len: 0, marker: PhantomData }
    }
}

/// Shows address and length; the contents are out of the host's reach.
impl<T> fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeviceBuffer").field("address", &self.as_device_ptr()).field("len", &self.len).finish()
    }
}
