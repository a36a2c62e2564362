//! Names and texts of status codes, which need no driver.

use core::ffi::{CStr, c_char};
use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

use super::super::call::write_out;
use super::export::{Address, Exported};
use super::process;
use crate::error::Status;

/// The functions of this file.
pub(super) static NAMES: &[Exported] = &[
    Exported {
        symbol: "cuGetErrorName",
        address: Address(get_error_name as unsafe extern "C" fn(u32, *mut *const c_char) -> u32 as *const ()),
    },
    Exported {
        symbol: "cuGetErrorString",
        address: Address(get_error_string as unsafe extern "C" fn(u32, *mut *const c_char) -> u32 as *const ()),
    },
];

/// A text for C, kept for ever: there are so many.
fn kept(text: &'static str) -> &'static CStr {
    static KEPT: Mutex<Option<HashMap<&str, &CStr>>> = Mutex::new(None);

    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let of_text = || &*Box::leak(CString::new(text).unwrap_or_default().into_boxed_c_str());
    kept.get_or_insert_default().entry(text).or_insert_with(of_text)
}

/// Writes a text, or null where a code has none.
///
/// # Safety
///
/// `out` is null or good for a write, as far as it can be written.
unsafe fn answer(text: Option<&'static str>, out: *mut *const c_char) -> u32 {
    process::guard(|| {
        let text = text.map(kept);
        // SAFETY: `out` is null or writable by the caller's contract; that is looked at.
        unsafe { write_out(out, text.map_or(core::ptr::null(), CStr::as_ptr)) }?;
        text.map(|_| ()).ok_or(Status::INVALID_VALUE)
    })
}

#[unsafe(export_name = "cuGetErrorName")]
unsafe extern "C" fn get_error_name(code: u32, out: *mut *const c_char) -> u32 {
    // SAFETY: the caller's contract.
    unsafe { answer(Status(code).name(), out) }
}

#[unsafe(export_name = "cuGetErrorString")]
unsafe extern "C" fn get_error_string(code: u32, out: *mut *const c_char) -> u32 {
    // SAFETY: the caller's contract.
    unsafe { answer(Status(code).meaning(), out) }
}
