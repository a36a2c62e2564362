//! An owned array in page-locked host memory.

use core::fmt;
use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::slice;

use bytemuck::Zeroable;

use super::owner::LockedMemory;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::memory::DeviceCopy;
use crate::memory::size::bytes_of;

/// An array of `T`s in page-locked host memory, which it owns: a `Box<[T]>` that the device reads and writes directly.
///
/// It derefs to `[T]`. Copies between it and a device run at the full speed of the bus and can be asynchronous, where
/// pageable memory goes through the driver's own buffers. Since it takes physical memory from the whole system, lock what
/// the copies need and no more. The memory is cacheable. The driver aligns it to 512 bytes (seen, not documented); for a type
/// that asks for more the constructors may say [`Error::Unsupported`].
/// [`locked_vec!`](crate::locked_vec) makes one.
///
/// The constructors without `_in` use the current context ([`Context::current`]); any device may use the memory. They call
/// `cuMemHostAlloc`, which does not wait for device work. Their errors are
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory), also at the limit on locked memory;
/// [`Error::SizeOverflow`](crate::Error::SizeOverflow); the driver's code; and, without `_in`, what opening the default
/// context fails with. Dropped, the memory is freed (`cuMemFreeHost`); the drop does not panic, and a failure goes to
/// [`Context::take_drop_errors`](crate::Context::take_drop_errors). An empty buffer, and one of a type without bytes, has
/// no memory and makes no driver call.
///
/// ```
/// use memcore::prelude::*;
///
/// let mut locked = LockedBuffer::from_slice(&[1u32, 2, 3])?;
/// locked[0] = 10;
/// let dev = DeviceBuffer::from_slice(&locked)?;
/// locked.fill(0);
/// copy!(locked <- dev)?;
/// assert_eq!(*locked, [10, 2, 3]);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct LockedBuffer<T> {
    /// INVARIANT: `None` where there are no bytes, or where they are not this buffer's to free.
    pub(super) memory: Option<LockedMemory>,
    /// INVARIANT: aligned; `len` initialised elements, this buffer's alone, while it lives; dangling where they have no
    /// bytes.
    pub(super) pointer: NonNull<T>,
    pub(super) len: usize,
    pub(super) marker: PhantomData<T>,
}

// SAFETY: the elements are the buffer's own, as a `Box<[T]>`'s are.
unsafe impl<T: Send> Send for LockedBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for LockedBuffer<T> {}

impl<T> LockedBuffer<T> {
    /// A copy of `source`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn from_slice(source: &[T]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::copied(None, source)
    }

    /// As [`from_slice`](Self::from_slice), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn from_slice_in(context: &Context, source: &[T]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::copied(Some(context), source)
    }

    /// `len` elements of zero bytes.
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

    /// As [`zeroed`](Self::zeroed), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn zeroed_in(context: &Context, len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        Self::zeros(Some(context), len)
    }

    /// `len` times `value`.
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

    /// As [`filled`](Self::filled), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn filled_in(context: &Context, value: T, len: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        Self::repeated(Some(context), value, len)
    }

    /// Room for `len` elements, whose bytes are whatever they are.
    ///
    /// # Errors
    ///
    /// See the type's page.
    ///
    /// # Safety
    ///
    /// Every element is written before anything reads it, or makes a reference to it as a `T`: write through
    /// [`as_mut_ptr`](slice::as_mut_ptr).
    #[doc(alias = "alloc")]
    #[track_caller]
    pub unsafe fn uninitialized(len: usize) -> Result<Self> {
        Self::allocate(None, len)
    }

    /// As [`uninitialized`](Self::uninitialized), in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    ///
    /// # Safety
    ///
    /// As [`uninitialized`](Self::uninitialized).
    #[track_caller]
    pub unsafe fn uninitialized_in(context: &Context, len: usize) -> Result<Self> {
        Self::allocate(Some(context), len)
    }

    #[track_caller]
    fn copied(context: Option<&Context>, source: &[T]) -> Result<Self>
    where
        T: DeviceCopy,
    {
        let buffer = Self::allocate(context, source.len())?;
        // SAFETY: as many elements on both sides, the one new memory; `T` is `Copy`.
        unsafe { buffer.pointer.as_ptr().copy_from_nonoverlapping(source.as_ptr(), source.len()) };
        Ok(buffer)
    }

    #[track_caller]
    fn zeros(context: Option<&Context>, len: usize) -> Result<Self>
    where
        T: Zeroable,
    {
        let buffer = Self::allocate(context, len)?;
        // SAFETY: the new memory has room for `len` elements.
        unsafe { buffer.pointer.as_ptr().write_bytes(0, len) };
        Ok(buffer)
    }

    #[track_caller]
    fn repeated(context: Option<&Context>, value: T, len: usize) -> Result<Self>
    where
        T: DeviceCopy,
    {
        let buffer = Self::allocate(context, len)?;
        let room = buffer.pointer.as_ptr().cast::<MaybeUninit<T>>();
        // SAFETY: the new memory has room for `len` elements, and is borrowed for this statement alone.
        unsafe { slice::from_raw_parts_mut(room, len) }.fill(MaybeUninit::new(value));
        Ok(buffer)
    }

    /// Room for `len` elements: the caller initialises them before the buffer is given out.
    #[track_caller]
    fn allocate(context: Option<&Context>, len: usize) -> Result<Self> {
        let bytes = bytes_of::<T>(len)?;
        if bytes == 0 {
            return Ok(Self { memory: None, pointer: NonNull::dangling(), len, marker: PhantomData });
        }
        let context = match context {
            Some(context) => context.clone(),
            None => Context::current()?,
        };
        let memory = LockedMemory::allocate(context.inner, bytes)?;
        if memory.pointer().addr().get() % align_of::<T>() != 0 {
            return Err(Error::Unsupported { what: "page-locked memory of such an alignment" });
        }
        Ok(Self { pointer: memory.pointer().cast(), memory: Some(memory), len, marker: PhantomData })
    }

    /// How many bytes the elements have.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The elements.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        self
    }

    /// The elements, to be written.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}

impl<T> Deref for LockedBuffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        // SAFETY: by the invariant `len` initialised elements, which are borrowed as `self` is.
        unsafe { slice::from_raw_parts(self.pointer.as_ptr(), self.len) }
    }
}

impl<T> DerefMut for LockedBuffer<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: by the invariant `len` initialised elements, which are borrowed as `self` is.
        unsafe { slice::from_raw_parts_mut(self.pointer.as_ptr(), self.len) }
    }
}

impl<T> AsRef<[T]> for LockedBuffer<T> {
    fn as_ref(&self) -> &[T] {
        self
    }
}

impl<T> AsMut<[T]> for LockedBuffer<T> {
    fn as_mut(&mut self) -> &mut [T] {
        self
    }
}

/// An empty buffer, which makes no driver call.
impl<T> Default for LockedBuffer<T> {
    fn default() -> Self {
        Self { memory: None, pointer: NonNull::dangling(), len: 0, marker: PhantomData }
    }
}

/// Shows address and length, as all of memcore's memory does; `{:?}` of the slice shows the contents.
impl<T> fmt::Debug for LockedBuffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LockedBuffer").field("address", &self.pointer).field("len", &self.len).finish()
    }
}
