//! `cuGetErrorName` and `cuGetErrorString`: what a code is called, which needs no driver.

use core::ffi::{CStr, c_char};

use super::super::call::{Answer, write_out};
use super::export::{Address, Exported};
use super::process;
use crate::error::Status;

type Ask = unsafe extern "C" fn(u32, *mut *const c_char) -> u32;

/// The two functions.
pub(super) static ERRORS: &[Exported] = &[
    Exported { symbol: "cuGetErrorName", address: Address(error_name as Ask as *const ()) },
    Exported { symbol: "cuGetErrorString", address: Address(error_string as Ask as *const ()) },
];

/// Writes where a text is, null for that of an unknown code.
///
/// # Safety
///
/// `out` is null or good for a write.
unsafe fn answer(out: *mut *const c_char, text: Option<&'static CStr>) -> Answer {
    // SAFETY: this function's contract; it is looked at.
    unsafe { write_out(out, text.map_or(core::ptr::null(), CStr::as_ptr)) }?;
    text.map(|_| ()).ok_or(Status::INVALID_VALUE)
}

#[unsafe(export_name = "cuGetErrorName")]
unsafe extern "C" fn error_name(code: u32, out: *mut *const c_char) -> u32 {
    // SAFETY: the caller's contract.
    process::guard(|| unsafe { answer(out, Status(code).c_name()) })
}

#[unsafe(export_name = "cuGetErrorString")]
unsafe extern "C" fn error_string(code: u32, out: *mut *const c_char) -> u32 {
    // SAFETY: the caller's contract.
    process::guard(|| unsafe { answer(out, Status(code).c_meaning()) })
}
