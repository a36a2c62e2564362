//! Device buffers allocated and freed in the order of a stream.

use core::marker::PhantomData;

use super::owner::DeviceMemory;
use super::{DeviceBox, DeviceBuffer};
use crate::error::{Error, Result};
use crate::memory::size::bytes_of;
use crate::stream::Stream;

impl<T> DeviceBuffer<T> {
    /// Room for `len` elements, whose bytes are whatever they are, allocated in the order of `stream` from its context's
    /// pool. Does not wait, unless memory runs out: then it waits for the stream and the context's pending frees, and tries
    /// once more. Driver function: `cuMemAllocFromPoolAsync` (`cuMemAlloc_v2`, where the device has no pools).
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let mut back = locked_vec![0u8; 4]?;
    /// // SAFETY: the buffer is written before it is read, and used on `stream` alone until that has been waited for, and
    /// // so is `back`.
    /// unsafe {
    ///     let mut dev = DeviceBuffer::<u8>::uninitialized_on(&stream, 4)?;
    ///     dev.set_8_async(7, &stream)?;
    ///     copy!(back <- dev, async stream)?;
    ///     dev.drop_on(&stream).map_err(|(error, _)| error)?; // behind the copy
    /// }
    /// stream.synchronize()?;
    /// assert_eq!(*back, [7; 4]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::SizeOverflow`]; [`Error::OutOfMemory`]; [`Error::StreamCapturing`]; the driver's code. Nothing stays
    /// allocated.
    ///
    /// # Safety
    ///
    /// Until the allocation is known to be done (a wait for `stream`, or for what comes after it) the buffer is used by
    /// nothing but work that comes after it in stream order: by no safe call but [`drop_on`](Self::drop_on) the same
    /// stream, and it is not dropped. No element is read before it is written.
    #[track_caller]
    pub unsafe fn uninitialized_on(stream: &Stream, len: usize) -> Result<Self> {
        let bytes = bytes_of::<T>(len)?;
        if bytes == 0 {
            return Ok(Self { memory: None, address: 0, len, marker: PhantomData });
        }
        Self::of(DeviceMemory::allocate_on(stream, bytes)?, len)
    }

    /// Frees the memory behind all that is queued on `stream`. Does not wait, unless the memory is not from a pool: then it
    /// waits for the stream. Driver functions: `cuMemFreeAsync`; else `cuStreamSynchronize` and `cuMemFree_v2`.
    ///
    /// A plain drop asks that nothing pending uses the memory, which is so after every safe call. After an unsafe one that
    /// queued work on `stream` (`copy!(…, async stream)`, a kernel) this is how to drop without a wait.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let (dev, mut copy) = (device_vec![1u8; 1000]?, device_vec![0u8; 1000]?);
    /// // SAFETY: until the wait nothing else uses `copy`, and nothing but the free in stream order `dev`.
    /// unsafe { copy!(copy <- dev, async stream)? };
    /// dev.drop_on(&stream).map_err(|(error, _)| error)?;
    /// stream.synchronize()?;
    /// assert_eq!(copy.to_vec()?, [1; 1000]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// With the buffer, whose drop is then a plain one: [`Error::OtherDevice`] for a stream of another device;
    /// [`Error::DifferentDrivers`]; [`Error::StreamCapturing`]; [`Error::Unsettled`]; the driver's code.
    #[track_caller]
    pub fn drop_on(mut self, stream: &Stream) -> Result<(), (Error, Self)> {
        let Some(memory) = self.memory.take() else { return Ok(()) };
        // Called by name, and not through `map`, so that the place is the caller's.
        match memory.free_on(stream) {
            Ok(()) => Ok(()),
            Err((error, memory)) => {
                self.memory = Some(memory);
                Err((error, self))
            }
        }
    }
}

impl<T> DeviceBox<T> {
    /// Room for a value, as [`DeviceBuffer::uninitialized_on`].
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::uninitialized_on`].
    ///
    /// # Safety
    ///
    /// As [`DeviceBuffer::uninitialized_on`].
    #[track_caller]
    pub unsafe fn uninitialized_on(stream: &Stream) -> Result<Self> {
        // SAFETY: the caller's contract.
        let buffer = unsafe { DeviceBuffer::uninitialized_on(stream, 1)? };
        Ok(Self { buffer })
    }

    /// Frees the memory behind all that is queued on `stream`, as [`DeviceBuffer::drop_on`]: without a wait, unless the
    /// memory is not from a pool.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let stream = Stream::new()?;
    /// let dev = device_box![7u64]?;
    /// let mut back = locked_vec![0u64; 1]?;
    /// // SAFETY: until the wait nothing else uses `back`, and nothing but the free in stream order `dev`.
    /// unsafe { copy!(back <- dev, async stream)? };
    /// dev.drop_on(&stream).map_err(|(error, _)| error)?; // behind the copy
    /// stream.synchronize()?;
    /// assert_eq!(*back, [7]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`DeviceBuffer::drop_on`].
    #[track_caller]
    pub fn drop_on(self, stream: &Stream) -> Result<(), (Error, Self)> {
        self.buffer.drop_on(stream).map_err(|(error, buffer)| (error, Self { buffer }))
    }
}
