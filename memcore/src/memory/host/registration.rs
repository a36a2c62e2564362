//! Memory that is page-locked by hand.

use core::ffi::c_void;
use core::fmt;
use core::ptr::NonNull;

use super::flags::RegisterFlags;
use super::owner::HostOwner;
use super::register::{Registered, checked};
use crate::context::Context;
use crate::driver::ffi::REGISTER_IO_MEMORY;
use crate::driver::symbol;
use crate::error::{Error, Result, Status};
use crate::memory::DevicePointer;

/// Host memory that is page-locked until this is dropped: for memory that is neither borrowed nor owned, as what another
/// library or the operating system maps.
///
/// [`Context::with_registered`] and [`Scope::register`](crate::Scope::register) borrow memory, and a
/// [`RegisteredBuffer`](crate::RegisteredBuffer) owns it: safely.
///
/// Dropped, the memory is unregistered (`cuMemHostUnregister`); the drop does not panic, and a failure goes to
/// [`Context::take_drop_errors`].
pub struct Registration {
    /// `None` where there are no bytes.
    owner: Option<HostOwner<Registered>>,
    pointer: NonNull<c_void>,
    bytes: usize,
}

impl Registration {
    /// Page-locks `len` elements from `pointer` on. Does not wait. Driver functions: `cuDeviceGetAttribute`,
    /// `cuMemHostRegister_v2`. Memory without bytes makes no call.
    ///
    /// ```
    /// use memcore::{RegisterFlags, Registration, prelude::*};
    ///
    /// let context = Context::current()?;
    /// let mut memory = vec![7u8; 4096];
    /// // SAFETY: the memory lives until `unregister` has succeeded; if it does not, it is leaked.
    /// let registration = unsafe { Registration::new(&context, RegisterFlags::PORTABLE, memory.as_mut_ptr(), memory.len())? };
    /// let dev = DeviceBuffer::from_slice(&memory)?;
    /// if let Err((error, _registration)) = registration.unregister() {
    ///     std::mem::forget(memory);
    ///     return Err(error);
    /// }
    /// assert_eq!(dev.to_vec()?, memory);
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Context::with_registered`]; the driver's code, `INVALID_VALUE` for a null pointer.
    ///
    /// # Safety
    ///
    /// The memory stays mapped until it has been unregistered: until [`unregister`](Self::unregister) has succeeded, or
    /// for ever, where that fails or is not called. By then nothing is pending that uses it.
    #[track_caller]
    pub unsafe fn new<T>(context: &Context, flags: RegisterFlags, pointer: *mut T, len: usize) -> Result<Self> {
        let bits = checked(flags)?;
        // SAFETY: this function's contract.
        unsafe { Self::with_bits(context, bits, pointer, len) }
    }

    /// As [`new`](Self::new), of the address space of another device on the bus (`CU_MEMHOSTREGISTER_IOMEMORY`), which is
    /// no memory of the host's.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); the driver's code, `INVALID_VALUE` of host memory.
    ///
    /// # Safety
    ///
    /// As [`new`](Self::new), and reading and writing the addresses has no effect that anything here rests on.
    #[track_caller]
    pub unsafe fn of_io_memory<T>(
        context: &Context,
        flags: RegisterFlags,
        pointer: *mut T,
        len: usize,
    ) -> Result<Self> {
        let bits = checked(flags)? | REGISTER_IO_MEMORY;
        // SAFETY: this function's contract.
        unsafe { Self::with_bits(context, bits, pointer, len) }
    }

    /// # Safety
    ///
    /// As [`new`](Self::new).
    #[track_caller]
    unsafe fn with_bits<T>(context: &Context, bits: u32, pointer: *mut T, len: usize) -> Result<Self> {
        let bytes = crate::memory::size::bytes_of::<T>(len)?;
        let Some(start) = NonNull::new(pointer.cast::<c_void>()) else {
            return Err(Error::Driver { operation: symbol::mem_host_register, status: Status::INVALID_VALUE });
        };
        let owner = match bytes {
            0 => None,
            // SAFETY: this function's contract.
            _ => Some(unsafe { HostOwner::register(&context.inner, start, bytes, bits)? }),
        };
        Ok(Self { owner, pointer: start, bytes })
    }

    /// How many bytes are registered.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.bytes
    }

    /// The first byte's address for the device. Does not wait. Driver function: `cuMemHostGetDevicePointer_v2`; memory
    /// without bytes makes no call.
    ///
    /// # Errors
    ///
    /// The driver's code, `INVALID_VALUE` where the memory is not mapped.
    #[track_caller]
    pub fn device_ptr(&self) -> Result<DevicePointer<u8>> {
        let address = match &self.owner {
            Some(owner) => owner.device_address()?,
            None => self.pointer.as_ptr().expose_provenance() as u64,
        };
        Ok(DevicePointer::from_raw(address))
    }

    /// Ends it, or gives it back with the reason why not: then the memory stays mapped. May wait for device work. Driver
    /// function: `cuMemHostUnregister`.
    ///
    /// # Errors
    ///
    /// The driver's code; [`Error::Unsettled`].
    #[track_caller]
    pub fn unregister(mut self) -> Result<(), (Error, Self)> {
        // No `map`: the line that a report names does not pass through it.
        let Some(owner) = self.owner.take() else { return Ok(()) };
        match owner.free() {
            Ok(()) => Ok(()),
            Err((error, owner)) => {
                self.owner = Some(owner);
                Err((error, self))
            }
        }
    }
}

// SAFETY: it is a name for memory whose contents it gives to nobody; the driver unregisters on any thread.
unsafe impl Send for Registration {}
// SAFETY: a shared reference gives addresses alone.
unsafe impl Sync for Registration {}

impl fmt::Debug for Registration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registration").field("address", &self.pointer).field("bytes", &self.bytes).finish()
    }
}
