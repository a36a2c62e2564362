//! Page-locked buffers taken apart, put together, given back, reinterpreted and filled from a reader.

use core::marker::PhantomData;
use core::mem::{ManuallyDrop, forget};
use core::ptr::NonNull;
use core::slice;
use std::io::{self, Read};

use bytemuck::{AnyBitPattern, NoUninit};

use super::LockedBuffer;
use super::owner::LockedMemory;
use crate::context::current_inner;
use crate::error::{Error, Result};
use crate::memory::size::view_len;

impl<T> LockedBuffer<T> {
    /// Frees the memory and says whether that worked; on a failure the buffer comes back with the error. Driver function:
    /// `cuMemFreeHost`, which may wait for device work.
    ///
    /// # Errors
    ///
    /// The driver's code, with the buffer; [`Error::Unsettled`].
    #[track_caller]
    pub fn try_free(mut self) -> Result<(), (Error, Self)> {
        let Some(memory) = self.memory.take() else { return Ok(()) };
        // Called by name, and not through `map`, so that the place is the caller's.
        match memory.free() {
            Ok(()) => Ok(()),
            Err((error, memory)) => {
                self.memory = Some(memory);
                Err((error, self))
            }
        }
    }

    /// Gives up ownership: the memory is freed when [`from_raw_parts`](Self::from_raw_parts) makes a buffer of it again.
    /// Its context stays open for the life of the process.
    #[must_use = "the memory is leaked unless it is put together again"]
    pub fn into_raw_parts(self) -> (*mut T, usize) {
        let parts = (self.pointer.as_ptr(), self.len);
        forget(self);
        parts
    }

    /// Takes ownership of page-locked memory: made by [`into_raw_parts`](Self::into_raw_parts), or by another library with
    /// `cuMemHostAlloc` or `cudaHostAlloc`.
    ///
    /// If no context can be opened to free it in, it leaks, which is logged.
    ///
    /// # Safety
    ///
    /// `pointer` is the start of a page-locked allocation of at least `len` elements, initialised, aligned for `T`, not
    /// used by pending work, and nobody else's from here on. A `len` of 0 asks for nothing, and takes nothing over.
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: *mut T, len: usize) -> Self {
        let start = NonNull::new(pointer).filter(|_| len != 0 && size_of::<T>() != 0);
        let memory = start.and_then(|start| match current_inner() {
            // SAFETY: the caller hands over the allocation at this address.
            Ok(context) => Some(unsafe { LockedMemory::adopt(context, start.cast()) }),
            Err(error) => {
                log::error!("page-locked memory at {pointer:p} cannot be freed: {error}");
                None
            }
        });
        Self { memory, pointer: start.unwrap_or(NonNull::dangling()), len, marker: PhantomData }
    }

    /// The memory for the rest of the process: it is never freed.
    #[must_use]
    pub fn leak<'a>(self) -> &'a mut [T]
    where
        T: 'a,
    {
        let leaked = ManuallyDrop::new(self);
        // SAFETY: by the invariant `len` initialised elements, which are never freed, and nothing else refers to them.
        unsafe { slice::from_raw_parts_mut(leaked.pointer.as_ptr(), leaked.len) }
    }

    /// The same memory as `U`s.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`] if the size is no multiple of `U`'s, the address is not aligned for `U`, or `U` has no
    /// bytes.
    #[track_caller]
    pub fn view_as<U: AnyBitPattern>(&self) -> Result<&[U]>
    where
        T: NoUninit,
    {
        let len = view_len::<T, U>(self.pointer.addr().get() as u64, self.len)?;
        // SAFETY: the same initialised bytes, as many and aligned, any of which are a `U`; borrowed as `self` is.
        Ok(unsafe { slice::from_raw_parts(self.pointer.as_ptr().cast(), len) })
    }

    /// The same memory as `U`s, to be written.
    ///
    /// # Errors
    ///
    /// As [`view_as`](Self::view_as).
    #[track_caller]
    pub fn view_as_mut<U: AnyBitPattern + NoUninit>(&mut self) -> Result<&mut [U]>
    where
        T: NoUninit + AnyBitPattern,
    {
        let len = view_len::<T, U>(self.pointer.addr().get() as u64, self.len)?;
        // SAFETY: the same initialised bytes, as many and aligned, any of which are a `U` and a `T`; borrowed as `self` is.
        Ok(unsafe { slice::from_raw_parts_mut(self.pointer.as_ptr().cast(), len) })
    }

    /// The same memory as a buffer of `U`s, which frees it.
    ///
    /// # Errors
    ///
    /// As [`view_as`](Self::view_as), with the buffer.
    #[track_caller]
    pub fn cast<U: AnyBitPattern>(mut self) -> Result<LockedBuffer<U>, (Error, Self)>
    where
        T: NoUninit,
    {
        match view_len::<T, U>(self.pointer.addr().get() as u64, self.len) {
            Ok(len) => {
                let memory = self.memory.take();
                let pointer = if len == 0 { NonNull::dangling() } else { self.pointer.cast() };
                Ok(LockedBuffer { memory, pointer, len, marker: PhantomData })
            }
            Err(error) => Err((error, self)),
        }
    }

    /// Fills the buffer from its start with what `reader` gives, until it is full or the reader ends, and returns how many
    /// elements were read. The bytes go straight into the page-locked memory.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let mut locked = locked_vec![0u16; 4]?;
    /// let read = locked.read_from(&mut [1, 0, 2, 0].as_slice())?;
    /// assert_eq!((read, &locked[..read]), (2, [1u16.to_le(), 2u16.to_le()].as_slice()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The reader's own; [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if it ends in the middle of an element.
    #[track_caller]
    pub fn read_from(&mut self, mut reader: impl Read) -> io::Result<usize>
    where
        T: NoUninit + AnyBitPattern,
    {
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(self);
        let mut filled = 0;
        while filled < bytes.len() {
            match reader.read(&mut bytes[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let size = size_of::<T>().max(1);
        if filled % size != 0 {
            let message = format!("the data ends {} bytes into an element of {size}", filled % size);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        Ok(filled / size)
    }
}
