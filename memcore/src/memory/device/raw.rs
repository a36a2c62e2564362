//! Device buffers taken apart, put together, given back and reinterpreted.

use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use super::DeviceBuffer;
use super::owner::DeviceMemory;
use crate::context::keep_open_contexts;
use crate::error::{Error, Result};
use crate::memory::size::view_len;
use crate::memory::{DeviceCopy, DevicePointer, DeviceSlice};

impl<T> DeviceBuffer<T> {
    /// Frees the memory and says whether that worked; on a failure the buffer comes back with the error. Does not wait.
    /// Driver functions: `cuMemFreeAsync`, or `cuMemFree_v2` where the memory is not from a pool.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![1u8; 100]?;
    /// if let Err((error, dev)) = dev.try_free() {
    ///     eprintln!("{} bytes could not be freed: {error}", dev.size_in_bytes());
    /// }
    /// # Ok::<(), memcore::Error>(())
    /// ```
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

    /// Gives up ownership: the memory is freed when [`from_raw_parts`](Self::from_raw_parts) makes a buffer of it
    /// again. Its context stays open for the life of the process, and a pool of the program's own that it is from stays
    /// alive. An empty buffer's pointer is not null and has no memory.
    #[must_use = "the memory is leaked unless it is put together again"]
    pub fn into_raw_parts(self) -> (DevicePointer<T>, usize) {
        let parts = (self.as_device_ptr(), self.len);
        if let Some(memory) = self.memory {
            memory.into_raw();
        }
        parts
    }

    /// Takes ownership of device memory: made by [`into_raw_parts`](Self::into_raw_parts), or by another library in the
    /// device's primary context with `cuMemAlloc`, `cudaMalloc`, or from a pool. The driver is asked which, and the
    /// free matches. For memory that stays someone else's take [`borrowed`](Self::borrowed).
    ///
    /// If the driver cannot say whose the memory is it will not be freed, which is logged.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let (pointer, len) = device_vec![1u64, 2]?.into_raw_parts();
    /// // SAFETY: the parts are those of a buffer that was just taken apart.
    /// let again = unsafe { DeviceBuffer::from_raw_parts(pointer, len) };
    /// assert_eq!(again.to_vec()?, [1, 2]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Safety
    ///
    /// `pointer` is the start of an allocation of at least `len` elements, initialised, aligned for `T`, not used by
    /// pending work, and nobody else's from here on; it belongs to a context that is open in memcore, or to the current
    /// one ([`Context::current`](crate::Context::current)). A `len` of 0 asks for nothing, and takes nothing over.
    #[must_use]
    pub unsafe fn from_raw_parts(pointer: DevicePointer<T>, len: usize) -> Self {
        let address = pointer.as_raw();
        let memory = if len == 0 || size_of::<T>() == 0 {
            None
        } else {
            // SAFETY: the caller hands over the allocation at this address.
            unsafe { DeviceMemory::adopt(address, len * size_of::<T>()) }
                .inspect_err(|error| {
                    log::error!("device memory at {address:#x} cannot be freed: {error}");
                    // One of them holds the memory, which the buffer uses all the same. (A simulated address is always
                    // known to be one.)
                    keep_open_contexts();
                })
                .ok()
        };
        Self { memory, address, len, marker: PhantomData }
    }

    /// Device memory that stays someone else's, for as long as they keep it: a slice, which has all the copies, ranges
    /// and fills. Nothing is freed when it goes.
    ///
    /// # Safety
    ///
    /// As [`DeviceSlice::from_raw_parts_mut`].
    #[must_use]
    #[doc(alias = "from_raw")]
    pub unsafe fn borrowed<'a>(pointer: DevicePointer<T>, len: usize) -> &'a mut DeviceSlice<T> {
        // SAFETY: the caller's contract.
        unsafe { DeviceSlice::from_raw_parts_mut(pointer, len) }
    }

    /// The memory for the rest of the process: it is never freed, and its context stays open.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let table: &'static mut DeviceSlice<u32> = device_vec![7u32; 256]?.leak();
    /// assert_eq!(table[255].to_value()?, 7);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn leak<'a>(self) -> &'a mut DeviceSlice<T>
    where
        T: 'a,
    {
        let mut leaked = ManuallyDrop::new(self);
        let (pointer, len) = (leaked.as_mut_slice().as_device_ptr(), leaked.len);
        // SAFETY: the memory is never freed, its context never closed, and nothing else refers to it.
        unsafe { DeviceSlice::from_raw_parts_mut(pointer, len) }
    }

    /// The same memory as a buffer of `U`s, which frees it. Its bytes are taken as they are; whether they are values of
    /// `U` is checked when they come back to the host.
    ///
    /// ```
    /// use memcore::prelude::*;
    ///
    /// let dev = device_vec![1.0f32, 2.0]?;
    /// let bits = dev.cast::<u32>().map_err(|(error, _)| error)?;
    /// assert_eq!(bits.to_vec()?, [0x3F80_0000, 0x4000_0000]);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::InvalidView`], with the buffer, if the size is no multiple of `U`'s, the address is not aligned for
    /// `U`, or `U` has no bytes.
    #[track_caller]
    pub fn cast<U: DeviceCopy>(mut self) -> Result<DeviceBuffer<U>, (Error, Self)> {
        match view_len::<T, U>(self.address, self.len) {
            Ok(len) => Ok(DeviceBuffer { memory: self.memory.take(), address: self.address, len, marker: PhantomData }),
            Err(error) => Err((error, self)),
        }
    }
}
