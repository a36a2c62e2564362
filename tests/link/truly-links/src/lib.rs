//! Calls the driver through the linker, as memcore does not.

use std::ffi::c_uint;

unsafe extern "C" {
    fn cuInit(flags: c_uint) -> c_uint;
}

/// What the linked driver's `cuInit` returns.
pub fn init() -> u32 {
    // SAFETY: `cuInit` has this C signature and may be called at any time.
    unsafe { cuInit(0) }
}
