//! `cuGetProcAddress`: a function by its name, the version of CUDA that a program was made for, and its default stream.

use core::ffi::{c_char, c_int, c_void};
use std::collections::HashMap;
use std::sync::OnceLock;

use super::super::call::{Answer, write_out};
use super::super::device::DRIVER_VERSION;
use super::argument;
use super::export::{Address, Exported, MORE, SEAM};
use super::names::NAMES;
use super::process::{self, driver};
use super::unsupported::UNSUPPORTED;
use crate::error::Status;

/// `CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM`; one that says the opposite is 1.
const PER_THREAD: u64 = 2;
const KNOWN_FLAGS: u64 = 3;

/// `CU_GET_PROC_ADDRESS_SUCCESS`, `_SYMBOL_NOT_FOUND` and `_VERSION_NOT_SUFFICIENT`.
const FOUND: u32 = 0;
const NOT_FOUND: u32 = 1;
const TOO_OLD: u32 = 2;

/// The functions that need no machine.
static OWN: &[Exported] = &[
    Exported {
        symbol: "cuGetProcAddress",
        address: Address(
            get_proc_address as unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64) -> u32 as *const (),
        ),
    },
    Exported {
        symbol: "cuGetProcAddress_v2",
        address: Address(
            get_proc_address_v2 as unsafe extern "C" fn(*const c_char, *mut *mut c_void, c_int, u64, *mut u32) -> u32
                as *const (),
        ),
    },
];

/// Every function of this library, by its symbol.
fn functions() -> &'static HashMap<&'static str, Address> {
    static ALL: OnceLock<HashMap<&'static str, Address>> = OnceLock::new();

    ALL.get_or_init(|| {
        let entry_points = SEAM.iter().chain(MORE).copied().flatten();
        entry_points.chain(UNSUPPORTED).chain(NAMES).chain(OWN).map(|one| (one.symbol, one.address)).collect()
    })
}

/// The symbols that a name has had, each from a version of CUDA on, oldest first.
type Versions = Vec<(i32, String)>;

/// What `versions.txt` says of a name: for the legacy default stream, and for the thread's own.
fn versions() -> &'static HashMap<&'static str, [Versions; 2]> {
    static ALL: OnceLock<HashMap<&'static str, [Versions; 2]>> = OnceLock::new();

    ALL.get_or_init(|| {
        let lines = include_str!("versions.txt").lines().filter(|line| !line.starts_with('#'));
        lines.filter_map(|line| line.split_once(' ')).map(|(name, rest)| (name, versions_of(name, rest))).collect()
    })
}

fn versions_of(name: &str, rest: &str) -> [Versions; 2] {
    let parse = |part: &str| {
        let pairs = part.split(' ').filter_map(|pair| pair.split_once(':'));
        pairs
            .filter_map(|(since, suffix)| Some((since.parse().ok()?, format!("{name}{}", suffix.trim_matches('-')))))
            .collect()
    };
    match rest.split_once(" / ") {
        Some((legacy, per_thread)) => [parse(legacy), parse(per_thread)],
        None => [parse(rest), parse(rest)],
    }
}

/// The symbol that a name means, or why there is none.
fn symbol_of(name: &str, version: i32, flags: u64) -> Result<&'static str, u32> {
    let all = versions().get(name).ok_or(NOT_FOUND)?;
    let all = &all[usize::from(flags & PER_THREAD != 0)];
    // As the driver has it, a negative version is the newest.
    let (_, symbol) = all.iter().rfind(|(since, _)| version < 0 || *since <= version).ok_or(TOO_OLD)?;
    Ok(symbol)
}

/// What both functions do: writes the function's address, null where there is none; how that went.
///
/// # Safety
///
/// `name` is null or a string, and `out` null or good for a write, as far as they can be read and written.
unsafe fn look_up(name: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64) -> Answer<u32> {
    // SAFETY: the caller's contract; it may be wrong, which is looked at.
    let name = unsafe { argument::text(name) }.ok_or(Status::INVALID_VALUE)?;
    if version > DRIVER_VERSION || flags & !KNOWN_FLAGS != 0 {
        return Err(Status::INVALID_VALUE);
    }
    let found = symbol_of(&name, version, flags);
    let function = found.and_then(|symbol| {
        let is_missing = driver().is_none_or(|driver| driver.lacks(symbol));
        functions().get(symbol).filter(|_| !is_missing).ok_or(NOT_FOUND)
    });
    let address = function.map_or(core::ptr::null_mut(), |function| function.0.cast::<c_void>().cast_mut());
    // SAFETY: `out` is null or writable by the caller's contract; that is looked at.
    unsafe { write_out(out, address) }?;
    Ok(function.err().unwrap_or(FOUND))
}

#[unsafe(export_name = "cuGetProcAddress")]
unsafe extern "C" fn get_proc_address(name: *const c_char, out: *mut *mut c_void, version: c_int, flags: u64) -> u32 {
    process::guard(|| {
        // SAFETY: the caller's contract.
        match unsafe { look_up(name, out, version, flags) }? {
            FOUND => Ok(()),
            _ => Err(Status::NOT_FOUND),
        }
    })
}

#[unsafe(export_name = "cuGetProcAddress_v2")]
unsafe extern "C" fn get_proc_address_v2(
    name: *const c_char,
    out: *mut *mut c_void,
    version: c_int,
    flags: u64,
    how: *mut u32,
) -> u32 {
    process::guard(|| {
        // SAFETY: the caller's contract.
        let found = unsafe { look_up(name, out, version, flags) }?;
        if how.is_null() {
            return if found == FOUND { Ok(()) } else { Err(Status::NOT_FOUND) };
        }
        // SAFETY: writable by the caller's contract; that is looked at.
        unsafe { write_out(how, found) }
    })
}
