//! Existing host memory, page-locked for a while.
//!
//! While the driver takes memory for page-locked it must not go: a copy would write the pages that were there, and none of
//! what is there now. So no safe value borrows it, which could be forgotten: it is lent to a closure, or to a scope, or
//! owned; or else the program answers for it, and that is `unsafe`.

use core::ffi::c_void;
use core::ptr::NonNull;
use std::sync::Arc;

use super::flags::{RegisterFlags, bits_of};
use super::owner::{HostMemory, HostOwner};
use crate::context::{Inner, Relaxed};
use crate::device::DeviceAttribute;
use crate::driver::ffi::REGISTER_READ_ONLY;
use crate::driver::{check, symbol};
use crate::error::{Error, Result, Status};

/// Memory from `cuMemHostRegister`.
pub(crate) enum Registered {}

impl HostMemory for Registered {
    unsafe fn free(context: &Inner, pointer: *mut c_void) -> Result<()> {
        // SAFETY: the caller's contract.
        check(symbol::mem_host_unregister, unsafe { context.driver().mem_host_unregister(pointer) })
    }
}

/// The driver's flags.
pub(super) fn checked(flags: RegisterFlags) -> Result<u32> {
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
    pub(super) unsafe fn register(
        context: &Arc<Inner>,
        pointer: NonNull<c_void>,
        bytes: usize,
        flags: u32,
    ) -> Result<Self> {
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
        Ok(unsafe { Self::new(Arc::clone(context), pointer, bytes) })
    }

    /// As [`of_slice`](Self::of_slice), of memory that is given back when an [`Ending`](super::Ending) ends this.
    ///
    /// # Errors
    ///
    /// Also [`Error::Unsettled`]: what a device may still be at would never be known to be over.
    ///
    /// # Safety
    ///
    /// As for [`of_slice`](Self::of_slice).
    #[track_caller]
    pub(crate) unsafe fn of_lent<T>(
        context: &Arc<Inner>,
        slice: NonNull<[T]>,
        flags: RegisterFlags,
    ) -> Result<Option<Self>> {
        if context.is_host_unsettled() {
            return Err(Error::Unsettled);
        }
        // SAFETY: this function's contract.
        unsafe { Self::of_slice(context, slice, flags) }
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
