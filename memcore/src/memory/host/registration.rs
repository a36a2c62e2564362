//! Existing host memory, page-locked for a while.
//!
//! While the driver takes memory for page-locked it must not go: a copy would write the pages that were there, and none of
//! what is there now. So no safe value borrows it, which could be forgotten: it is lent to a closure, or to a scope, or
//! owned; or else the program answers for it, and that is `unsafe`.

use core::ffi::c_void;
use core::fmt;
use core::ptr::NonNull;
use std::io::{Write, stderr};
use std::process::abort;
use std::sync::Arc;

use super::flags::{RegisterFlags, bits_of};
use super::owner::{HostMemory, HostOwner};
use crate::context::{Context, Inner, Relaxed};
use crate::device::DeviceAttribute;
use crate::driver::ffi::{REGISTER_IO_MEMORY, REGISTER_READ_ONLY};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result, Status};
use crate::memory::DevicePointer;

/// Memory from `cuMemHostRegister`.
pub(crate) enum Registered {}

impl HostMemory for Registered {
    unsafe fn free(driver: &dyn Driver, pointer: *mut c_void) -> Result<()> {
        // SAFETY: the caller's contract.
        check(symbol::mem_host_unregister, unsafe { driver.mem_host_unregister(pointer) })
    }
}

/// The driver's flags.
fn checked(flags: RegisterFlags) -> Result<u32> {
    bits_of(&flags, "registered memory")
}

/// Whether the context's device can do it.
#[track_caller]
fn require(context: &Inner, flags: u32) -> Result<()> {
    let has = |attribute| context.device().attribute(attribute).map(|value| value != 0);
    if !has(DeviceAttribute::HOST_REGISTER_SUPPORTED)? {
        return Err(Error::Unsupported { what: "page-locking of existing memory" });
    }
    if flags & REGISTER_READ_ONLY != 0 && !has(DeviceAttribute::READ_ONLY_HOST_REGISTER_SUPPORTED)? {
        return Err(Error::Unsupported { what: "page-locking of existing memory as read-only" });
    }
    Ok(())
}

impl HostOwner<Registered> {
    /// Page-locks `bytes`, more than 0.
    ///
    /// # Safety
    ///
    /// They are mapped, and stay so until this is freed.
    #[track_caller]
    unsafe fn register(context: &Arc<Inner>, pointer: NonNull<c_void>, bytes: usize, flags: u32) -> Result<Self> {
        require(context, flags)?;
        let bound = context.bind()?;
        let _relaxed = Relaxed::new(bound.driver());
        // SAFETY: this function's contract.
        let status = unsafe { bound.driver().mem_host_register(pointer.as_ptr(), bytes, flags) };
        if status == Status::HOST_MEMORY_ALREADY_REGISTERED {
            return Err(Error::AlreadyRegistered { address: pointer.addr().get() as u64, bytes });
        }
        check(symbol::mem_host_register, status).map_err(|error| error.without_device_memory(bytes))?;
        // SAFETY: registered just now, in this context.
        Ok(unsafe { Self::new(Arc::clone(context), pointer) })
    }

    /// Page-locks the memory of a slice; `None` where that has no bytes.
    ///
    /// # Safety
    ///
    /// As for [`register`](Self::register), of all its bytes.
    #[track_caller]
    pub(crate) unsafe fn of_slice<T>(
        context: &Arc<Inner>,
        slice: NonNull<[T]>,
        flags: RegisterFlags,
    ) -> Result<Option<Self>> {
        let bits = checked(flags)?;
        let bytes = slice.len() * size_of::<T>();
        if bytes == 0 {
            return Ok(None);
        }
        // SAFETY: this function's contract.
        unsafe { Self::register(context, slice.cast(), bytes, bits) }.map(Some)
    }
}

/// A registration that ends before its memory is somebody else's, who is done with the device's work on it. Should anything
/// unwind (the program, or a logger that panics), it ends all the same, or the process does.
#[must_use = "it ends the registration when it is dropped"]
pub(crate) struct Ending(Option<HostOwner<Registered>>);

/// How often a call that fails is tried once more: what passes is no failure.
const RETRIES: u32 = 16;

impl Ending {
    /// Answers for a registration, if there is one.
    pub(crate) fn of(registration: Option<HostOwner<Registered>>) -> Self {
        Self(registration)
    }

    /// Ends it now.
    ///
    /// # Errors
    ///
    /// The driver's code `HOST_MEMORY_NOT_REGISTERED`: somebody else has ended it.
    ///
    /// # Aborts
    ///
    /// If it cannot be ended.
    #[track_caller]
    pub(crate) fn finish(mut self) -> Result<()> {
        self.end()
    }

    #[track_caller]
    fn end(&mut self) -> Result<()> {
        let Some(registration) = &self.0 else { return Ok(()) };
        let mut retries = 0..RETRIES;
        let ended = loop {
            match registration.free_settled() {
                Err(error) if error.status() == Some(Status::HOST_MEMORY_NOT_REGISTERED) => break Err(error),
                Err(error) if retries.next().is_none() => {
                    // To stderr, for a program without a logger, where a failure to print changes nothing.
                    let _ = writeln!(
                        stderr(),
                        "memcore: aborting, since memory that this program is about to use as its own could not be \
                         unregistered ({error}): the device would go on using the pages that it has now"
                    );
                    abort();
                }
                Err(_) => {}
                Ok(()) => break Ok(()),
            }
        };
        if let Some(registration) = self.0.take() {
            registration.abandon();
        }
        ended
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        // The panic that unwinds is the one to be seen.
        let _ = self.end();
    }
}

impl Context {
    /// Runs `f` with `memory` page-locked, and then unregisters it, also when `f` panics or returns an error. Does not wait
    /// for device work: what `f` queues on the memory is waited for in `f`, as safe code does it anyway.
    ///
    /// Copies of page-locked memory run at the full speed of the bus. Locking takes longer than one copy of pageable
    /// memory: it pays where the memory is copied several times. Whole pages are locked; what else lies on them is not
    /// affected.
    ///
    /// ```
    /// use memcore::{RegisterFlags, prelude::*};
    ///
    /// let context = Context::current()?;
    /// let stream = Stream::new()?;
    /// let mut samples = vec![1.0f32; 4096];
    /// let mut dev = device_vec![2.0f32; 4096]?;
    /// context.with_registered(&mut samples, RegisterFlags::empty(), |samples| {
    ///     copy!(dev[..2048] <- samples[..2048])?;
    ///     stream.scope(|s| copy!(*samples <- dev, s))
    /// })?;
    /// assert_eq!((samples[2047], samples[2048]), (1.0, 2.0));
    /// # Ok::<(), memcore::Error>(())
    /// ```
    ///
    /// Driver functions: `cuDeviceGetAttribute`, `cuMemHostRegister_v2`, `cuMemHostUnregister`. Memory without bytes makes no
    /// call.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyRegistered`] if any of the memory is registered; [`Error::UnknownFlags`];
    /// [`Error::Unsupported`]; [`Error::OutOfMemory`], also at the limit on locked memory; the driver's code,
    /// `INVALID_VALUE` where the memory was page-locked when it was allocated. Then `f` is not called. Else what `f`
    /// returns.
    ///
    /// # Panics
    ///
    /// If `f` does, when the memory is unregistered.
    ///
    /// # Aborts
    ///
    /// If the memory cannot be unregistered (as in a context that a kernel's fault has killed): it must not be given back
    /// while the driver takes it for page-locked. A [`RegisteredBuffer`](crate::RegisteredBuffer) is leaked then.
    #[track_caller]
    pub fn with_registered<T, R, E: From<Error>>(
        &self,
        memory: &mut [T],
        flags: RegisterFlags,
        f: impl FnOnce(&mut [T]) -> Result<R, E>,
    ) -> Result<R, E> {
        // SAFETY: borrowed until this call ends, and the guard ends the registration before.
        let ending = Ending::of(unsafe { HostOwner::of_slice(&self.inner, NonNull::from(&mut *memory), flags) }?);
        let result = f(memory);
        let ended = ending.finish();
        result.and_then(|value| ended.map(|()| value).map_err(E::from))
    }
}

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

    /// The first byte's address for the device. Driver function: `cuMemHostGetDevicePointer_v2`.
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
