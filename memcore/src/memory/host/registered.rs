//! Owned memory of the program's own, page-locked.

use core::borrow::{Borrow, BorrowMut};
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::mem::ManuallyDrop;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;
use core::slice;

use super::buffer::{host_slice, host_traits};
use super::flags::RegisterFlags;
use super::owner::HostOwner;
use super::register::Registered;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::memory::DevicePointer;

/// A `Vec` or `Box<[T]>` that is page-locked where it lies: as a [`LockedBuffer`](crate::LockedBuffer), of memory that
/// exists already.
///
/// It derefs to `[T]`, its length is fixed, and [`unregister`](Self::unregister) gives the `Vec` back. Locking takes
/// longer than one copy of pageable memory: it pays where the memory is copied several times. Whole pages are locked;
/// what else lies on them is not affected.
///
/// The constructors do not wait for device work (`cuDeviceGetAttribute`, `cuMemHostRegister_v2`). Their errors are
/// [`Error::AlreadyRegistered`]; [`Error::UnknownFlags`]; [`Error::Unsupported`] where the device cannot lock existing
/// memory, or not as read-only; [`Error::OutOfMemory`], also at the limit on locked memory; and the driver's code.
/// Dropped, the memory is unregistered (`cuMemHostUnregister`, which may wait for device work) and freed; if it cannot be
/// unregistered it is leaked, which goes to [`Context::take_drop_errors`]. Memory without bytes makes no driver call.
///
/// ```
/// use memcore::{RegisteredBuffer, prelude::*};
///
/// let samples: Vec<f32> = (0..1000).map(|n| n as f32).collect();
/// let mut registered = RegisteredBuffer::new(samples)?;
/// let dev = DeviceBuffer::from_slice(&registered)?;
/// registered.fill(0.0);
/// copy!(registered <- dev)?;
/// let samples: Vec<f32> = registered.unregister().map_err(|(error, _)| error)?;
/// assert_eq!(samples[999], 999.0);
/// # Ok::<(), memcore::Error>(())
/// ```
pub struct RegisteredBuffer<T> {
    /// `None` where there are no bytes, or where the registration has ended.
    registration: Option<HostOwner<Registered>>,
    /// INVARIANT: with `len` and `capacity` the parts of a `Vec`, this buffer's alone. No live `Vec`: the device may work
    /// on the elements while the buffer is moved.
    pointer: NonNull<T>,
    len: usize,
    capacity: usize,
    marker: PhantomData<T>,
}

// SAFETY: the elements are the buffer's own, as a `Vec`'s are.
unsafe impl<T: Send> Send for RegisteredBuffer<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for RegisteredBuffer<T> {}

impl<T> RegisteredBuffer<T> {
    /// Page-locks a `Vec` or `Box<[T]>`, in the current context ([`Context::current`]).
    ///
    /// # Errors
    ///
    /// See the type's page; and what opening the default context fails with.
    #[track_caller]
    pub fn new(memory: impl Into<Vec<T>>) -> Result<Self> {
        let memory = memory.into();
        if size_of_val(memory.as_slice()) == 0 {
            return Ok(Self::of(None, memory));
        }
        Self::new_in(&Context::current()?, memory)
    }

    /// Page-locks a `Vec` or `Box<[T]>` in `context`.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn new_in(context: &Context, memory: impl Into<Vec<T>>) -> Result<Self> {
        Self::new_with(context, RegisterFlags::empty(), memory)
    }

    /// As [`new_in`](Self::new_in), with `flags`.
    ///
    /// # Errors
    ///
    /// See the type's page. The memory is dropped then: [`try_new_with`](Self::try_new_with) gives it back.
    #[track_caller]
    pub fn new_with(context: &Context, flags: RegisterFlags, memory: impl Into<Vec<T>>) -> Result<Self> {
        match Self::try_new_with(context, flags, memory) {
            Ok(registered) => Ok(registered),
            Err((error, _)) => Err(error),
        }
    }

    /// As [`new_with`](Self::new_with); on a failure the memory comes back with the error.
    ///
    /// # Errors
    ///
    /// See the type's page.
    #[track_caller]
    pub fn try_new_with(
        context: &Context,
        flags: RegisterFlags,
        memory: impl Into<Vec<T>>,
    ) -> Result<Self, (Error, Vec<T>)> {
        let mut memory = memory.into();
        // SAFETY: the buffer owns the memory, and frees it only once it is unregistered.
        match unsafe { HostOwner::of_slice(&context.inner, NonNull::from(memory.as_mut_slice()), flags) } {
            Ok(registration) => Ok(Self::of(registration, memory)),
            Err(error) => Err((error, memory)),
        }
    }

    fn of(registration: Option<HostOwner<Registered>>, memory: Vec<T>) -> Self {
        let mut memory = ManuallyDrop::new(memory);
        let (len, capacity) = (memory.len(), memory.capacity());
        // SAFETY: a `Vec`'s pointer is never null.
        let pointer = unsafe { NonNull::new_unchecked(memory.as_mut_ptr()) };
        Self { registration, pointer, len, capacity, marker: PhantomData }
    }

    /// Ends the registration and gives the memory back (`cuMemHostUnregister`, which may wait for device work), or the
    /// buffer with the reason why not. `into_boxed_slice` makes a `Box<[T]>` of it again.
    ///
    /// # Errors
    ///
    /// The driver's code, with the buffer; [`Error::Unsettled`].
    #[track_caller]
    pub fn unregister(mut self) -> Result<Vec<T>, (Error, Self)> {
        // No `map`: the line that a report names does not pass through it.
        if let Some(registration) = self.registration.take()
            && let Err((error, registration)) = registration.free()
        {
            self.registration = Some(registration);
            return Err((error, self));
        }
        let parts = ManuallyDrop::new(self);
        // SAFETY: by the invariant the parts of a `Vec`, which nobody else has from here on: it is not registered.
        Ok(unsafe { Vec::from_raw_parts(parts.pointer.as_ptr(), parts.len, parts.capacity) })
    }

    /// How many bytes the elements have.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        size_of_val(self.as_slice())
    }

    /// The elements.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        // SAFETY: by the invariant `len` initialised elements, which are borrowed as `self` is.
        unsafe { slice::from_raw_parts(self.pointer.as_ptr(), self.len) }
    }

    /// The elements, mutably.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        // SAFETY: by the invariant `len` initialised elements, which are borrowed as `self` is.
        unsafe { slice::from_raw_parts_mut(self.pointer.as_ptr(), self.len) }
    }

    /// The first element's address for the device, as of [`LockedBuffer`](crate::LockedBuffer::device_ptr). Does not wait.
    /// Driver function: `cuMemHostGetDevicePointer_v2`.
    ///
    /// ```
    /// use memcore::{RegisteredBuffer, prelude::*};
    ///
    /// let registered = RegisteredBuffer::new(vec![1.0f32; 1000])?;
    /// assert!(!registered.device_ptr()?.is_null()); // for a kernel that reads it in place
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The driver's code, `INVALID_VALUE` where the memory is not mapped.
    #[track_caller]
    pub fn device_ptr(&self) -> Result<DevicePointer<T>> {
        let address = match &self.registration {
            Some(registration) => registration.device_address()?,
            None => self.pointer.as_ptr().expose_provenance() as u64,
        };
        Ok(DevicePointer::from_raw(address))
    }
}

/// Unregisters the memory and frees it, or leaks it.
impl<T> Drop for RegisteredBuffer<T> {
    fn drop(&mut self) {
        if let Some(registration) = self.registration.take()
            && let Err((error, registration)) = registration.free()
        {
            registration.context().note_drop_error(error);
            registration.abandon();
            return;
        }
        // SAFETY: by the invariant the parts of a `Vec`, which nobody else has: it is not registered any more.
        drop(unsafe { Vec::from_raw_parts(self.pointer.as_ptr(), self.len, self.capacity) });
    }
}

host_slice!(RegisteredBuffer);
