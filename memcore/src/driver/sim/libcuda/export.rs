//! A C function for each entry point.

use core::ffi::{c_char, c_void};

use super::argument::Argument;
use super::callback::CUstreamCallback;
use super::entry_points::more_entry_points;
use super::process::{self, Name};
use crate::driver::entry_points::entry_points;
use crate::driver::ffi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUcontext, CUdevice,
    CUdeviceptr, CUevent, CUgraph, CUhostFn, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUmemoryPool, CUstream,
    CUuuid,
};

/// A function of this library, by its symbol.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exported {
    pub(super) symbol: &'static str,
    pub(super) address: Address,
}

/// The address of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address(pub(super) *const ());

// SAFETY: a function may be named, and called, on any thread.
unsafe impl Sync for Address {}
// SAFETY: as above.
unsafe impl Send for Address {}

macro_rules! export {
    ($list:ident: $($method:ident = $symbol:literal $(| $per_thread:literal)? ($($parameters:tt)*);)*) => {
        /// The functions of each entry point.
        pub(super) static $list: &[&[Exported]] =
            &[$(export_entry!($method, [$symbol $(, $per_thread)?], ($($parameters)*))),*];
    };
}

macro_rules! export_entry {
    ($method:ident, [$symbol:literal], $parameters:tt) => {
        &[export_one!($method, $symbol, $symbol, false, $parameters)]
    };
    ($method:ident, [$symbol:literal, $per_thread:literal], $parameters:tt) => {
        &[
            export_one!($method, $symbol, $symbol, false, $parameters),
            export_one!($method, $symbol, $per_thread, true, $parameters),
        ]
    };
}

macro_rules! export_one {
    ($method:ident, $entry_point:literal, $symbol:literal, $is_per_thread:literal, ($($arg:ident: $type:ty),*)) => {{
        // SAFETY: no other function has the driver's name in a library that stands in for it.
        #[unsafe(export_name = $symbol)]
        unsafe extern "C" fn exported($($arg: $type),*) -> u32 {
            let is_usable = true $(&& Argument::is_usable($arg))*;
            let name = Name { symbol: $entry_point, method: stringify!($method), is_per_thread: $is_per_thread };
            process::call(name, is_usable, &|machine, call| {
                #[allow(unused_unsafe, reason = "entry points that touch no memory of the caller are safe")]
                // SAFETY: the caller is a C program, which owes the driver what the contract asks; of that, pointers are
                // looked at here and where they are used.
                unsafe { machine.$method(call, $($arg),*) }
            })
        }
        Exported { symbol: $symbol, address: Address(exported as unsafe extern "C" fn($($type),*) -> u32 as *const ()) }
    }};
}

macro_rules! export_seam {
    ($($all:tt)*) => { export!(SEAM: $($all)*); };
}
entry_points!(export_seam);

macro_rules! export_more {
    ($($all:tt)*) => { export!(MORE: $($all)*); };
}
more_entry_points!(export_more);

/// Whether there is an entry point with this symbol, which may be one that memcore does not call.
pub(in super::super) fn has_entry_point(symbol: &str) -> bool {
    SEAM.iter().chain(MORE).filter_map(|both| both.first()).any(|one| one.symbol == symbol)
}
