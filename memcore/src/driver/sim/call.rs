//! A call of an entry point, and what goes in and out by it.

use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};

use super::place::Place;
use crate::error::Status;

/// What an entry point answers.
pub(super) type Answer<T = ()> = Result<T, Status>;

/// A call of an entry point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    /// The driver's symbol.
    pub(super) symbol: &'static str,
    /// The method's name.
    pub(super) method: &'static str,
    /// Where the program made it.
    pub(super) place: Place,
    /// The context current on the calling thread, 0 for none.
    pub(super) current: u64,
    /// Whether the default stream is the thread's own.
    pub(super) is_per_thread: bool,
}

impl Call {
    /// The operation's stable name in reports.
    pub(super) fn operation(&self) -> &'static str {
        self.method.strip_suffix("_async").unwrap_or(self.method)
    }

    /// The operation as prose names it.
    pub(super) fn label(&self) -> &'static str {
        match self.operation() {
            "memcpy_htod" => "memcpy HtoD",
            "memcpy_dtoh" => "memcpy DtoH",
            "memcpy_dtod" => "memcpy DtoD",
            "memcpy_peer" => "peer memcpy",
            "memcpy_2d" => "2-D memcpy",
            "memcpy_2d_unaligned" => "unaligned 2-D memcpy",
            "memcpy_3d" => "3-D memcpy",
            "memset_d8" => "8-bit memset",
            "memset_d16" => "16-bit memset",
            "memset_d32" => "32-bit memset",
            "memset_d2d8" => "2-D 8-bit memset",
            "memset_d2d16" => "2-D 16-bit memset",
            "memset_d2d32" => "2-D 32-bit memset",
            _ => self.symbol,
        }
    }
}

/// A handle that no simulator of this process has used yet: a number, never an address.
pub(super) fn new_handle() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0x5100_0000);
    NEXT.fetch_add(0x10, Ordering::Relaxed)
}

/// A handle as the driver's pointer types.
pub(super) fn as_pointer<T>(handle: u64) -> *mut T {
    ptr::without_provenance_mut(handle as usize)
}

/// The number of a handle.
pub(super) fn as_handle<T>(pointer: *mut T) -> u64 {
    pointer.addr() as u64
}

/// Reads a value from where the caller has it.
///
/// # Safety
///
/// `from` is null or good for a read.
pub(super) unsafe fn read_in<T: Copy>(from: *const T) -> Answer<T> {
    if from.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    #[cfg(feature = "libcuda")]
    if !super::libcuda::is_accessible(from.addr() as u64, size_of::<T>() as u64, false) {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: not null, so good for a read by this function's contract; a `void *` of C may be unaligned.
    Ok(unsafe { from.read_unaligned() })
}

/// Writes a result to where the caller wants it.
///
/// # Safety
///
/// `out` is null or good for a write.
pub(super) unsafe fn write_out<T>(out: *mut T, value: T) -> Answer {
    if out.is_null() {
        return Err(Status::INVALID_VALUE);
    }
    #[cfg(feature = "libcuda")]
    if !super::libcuda::is_accessible(out.addr() as u64, size_of::<T>() as u64, true) {
        return Err(Status::INVALID_VALUE);
    }
    // SAFETY: not null, so good for a write by this function's contract; a `void *` of C may be unaligned.
    unsafe { out.write_unaligned(value) };
    Ok(())
}
