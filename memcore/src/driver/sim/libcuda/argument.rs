//! Arguments from a program that nothing has checked.

use core::ffi::{c_char, c_void};
use core::ops::Range;
use core::sync::atomic::{AtomicBool, Ordering};

use super::super::pages;
use super::callback::CUstreamCallback;
use crate::driver::ffi::{
    CUDA_ARRAY_DESCRIPTOR, CUDA_ARRAY3D_DESCRIPTOR, CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUcontext, CUevent, CUgraph,
    CUhostFn, CUmemAccessDesc, CUmemLocation, CUmemPoolProps, CUmemoryPool, CUstream, CUuuid,
};

/// Whether addresses come from such a program: then the process has called a function of this module.
static IS_FOREIGN: AtomicBool = AtomicBool::new(false);

/// Says so.
pub(super) fn distrust() {
    IS_FOREIGN.store(true, Ordering::Relaxed);
}

/// Whether these bytes can be read, or also written, as far as that has to be asked.
pub(in super::super) fn is_accessible(bytes: &Range<u64>, to_write: bool) -> bool {
    !IS_FOREIGN.load(Ordering::Relaxed) || pages::can_access(bytes, to_write)
}

/// A C string of the caller's; `None` where there is none.
///
/// # Safety
///
/// As far as the bytes can be read, nobody writes them.
pub(super) unsafe fn text(string: *const c_char) -> Option<String> {
    /// Longer than any name.
    const MAX: usize = 1024;

    if string.is_null() {
        return None;
    }
    let mut bytes = Vec::new();
    for index in 0..MAX {
        let at = string.wrapping_add(index);
        // A page at a time.
        if (index == 0 || (at.addr() as u64).is_multiple_of(pages::page_size()))
            && !is_accessible(&range(at.addr(), 1), false)
        {
            return None;
        }
        // SAFETY: the byte can be read.
        match unsafe { at.read() }.cast_unsigned() {
            0 => return Some(String::from_utf8_lossy(&bytes).into_owned()),
            byte => bytes.push(byte),
        }
    }
    None
}

/// An argument of a driver function.
pub(super) trait Argument: Copy {
    /// Whether an entry point may take it for what its type says. Null it looks for itself.
    fn is_usable(self) -> bool {
        true
    }
}

/// Numbers, handles, and addresses that the entry points look at themselves.
macro_rules! opaque {
    ($($type:ty),* $(,)?) => { $(impl Argument for $type {})* };
}

opaque!(
    u8,
    u16,
    u32,
    u64,
    i32,
    usize,
    CUarray,
    CUcontext,
    CUevent,
    CUgraph,
    CUmemLocation,
    CUmemoryPool,
    CUstream,
    *mut c_void,
    *const c_void,
    *mut c_char,
    *const c_char,
);

/// Functions that a stream is to call.
macro_rules! functions {
    ($($type:ty),* $(,)?) => {
        $(
            impl Argument for $type {
                fn is_usable(self) -> bool {
                    let is_code = |address: usize| pages::are_mapped(&range(address, 1), "r-x");
                    self.is_none_or(|function| !IS_FOREIGN.load(Ordering::Relaxed) || is_code(function as usize))
                }
            }
        )*
    };
}

functions!(CUhostFn, CUstreamCallback);

/// What is read or written through a pointer.
macro_rules! plain {
    ($($type:ty),* $(,)?) => {
        $(
            impl Argument for *mut $type {
                fn is_usable(self) -> bool {
                    self.is_null() || is_accessible(&range(self.addr(), size_of::<$type>()), true)
                }
            }

            impl Argument for *const $type {
                fn is_usable(self) -> bool {
                    self.is_null() || is_accessible(&range(self.addr(), size_of::<$type>()), false)
                }
            }
        )*
    };
}

plain!(
    u32,
    i32,
    f32,
    u64,
    usize,
    CUarray,
    CUcontext,
    CUevent,
    CUgraph,
    CUmemoryPool,
    CUstream,
    *mut c_void,
    *const c_char,
    *const c_void,
    CUuuid,
    CUmemLocation,
    CUmemAccessDesc,
    CUmemPoolProps,
    CUDA_ARRAY_DESCRIPTOR,
    CUDA_ARRAY3D_DESCRIPTOR,
    CUDA_MEMCPY2D,
    CUDA_MEMCPY3D,
);

fn range(start: usize, len: usize) -> Range<u64> {
    start as u64..(start as u64).saturating_add(len as u64)
}
