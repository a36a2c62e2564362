//! Arguments from a program that nothing has checked.

use core::ffi::{c_char, c_void};
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

/// Whether so many bytes can be read, or also written, as far as that has to be asked.
pub(in super::super) fn is_accessible(start: u64, len: u64, to_write: bool) -> bool {
    if !IS_FOREIGN.load(Ordering::Relaxed) {
        return true;
    }
    start.checked_add(len).is_some_and(|end| pages::can_access(&(start..end), to_write))
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
            && !is_accessible(at.addr() as u64, 1, false)
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
                    let is_code = |address: u64| {
                        let end = address.checked_add(1);
                        end.is_some_and(|end| pages::are_mapped(&(address..end), "--x"))
                    };
                    let is_foreign = IS_FOREIGN.load(Ordering::Relaxed);
                    self.is_none_or(|function| !is_foreign || is_code(function as usize as u64))
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
                    self.is_null() || is_accessible(self.addr() as u64, size_of::<$type>() as u64, true)
                }
            }

            impl Argument for *const $type {
                fn is_usable(self) -> bool {
                    self.is_null() || is_accessible(self.addr() as u64, size_of::<$type>() as u64, false)
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
