//! The driver's functions, called directly, and what stands on them for every library.

#[path = "../../../support/driver.rs"]
mod driver;

use std::ffi::CStr;
use std::ptr;

pub use driver::{Copy2d, DRIVER, Stream, check};

/// Makes the device's primary context current on this thread.
pub fn enter() {
    init();
    let mut context = ptr::null_mut();
    // SAFETY: `context` has room for what is asked.
    check(unsafe { (DRIVER.retain)(&raw mut context, 0) });
    // SAFETY: the context was just retained, and is never released.
    check(unsafe { (DRIVER.set_current)(context) });
}

fn init() {
    // SAFETY: it may be called again.
    check(unsafe { (DRIVER.init)(0) });
}

/// The name of device 0, and CUDA's version.
pub fn about() -> (String, String) {
    init();
    let (mut name, mut version) = ([0; 256], 0);
    // SAFETY: `name` has room for 256 bytes.
    check(unsafe { (DRIVER.device_name)(name.as_mut_ptr(), 256, 0) });
    // SAFETY: `version` has room for what is asked.
    check(unsafe { (DRIVER.version)(&raw mut version) });
    // SAFETY: the driver wrote a C string.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    (name, format!("CUDA {}.{}", version / 1000, version % 1000 / 10))
}

/// Page-locked memory of the driver's, usable in every context, as it is allocated.
pub struct Locked {
    pointer: *mut u8,
    bytes: usize,
}

// SAFETY: it owns its memory, and the driver frees from any thread with a context.
unsafe impl Send for Locked {}

impl Locked {
    pub fn new(bytes: usize) -> Self {
        let mut pointer = ptr::null_mut();
        // SAFETY: `pointer` has room for what is asked; 1 is CU_MEMHOSTALLOC_PORTABLE.
        check(unsafe { (DRIVER.host_alloc)(&raw mut pointer, bytes, 1) });
        Self { pointer: pointer.cast(), bytes }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: allocated by the driver, and in use by nothing: every copy has been waited for.
        check(unsafe { (DRIVER.free_host)(self.pointer.cast()) });
    }
}

/// The same, all of it zero at first.
pub struct Zeroed(Locked);

impl Zeroed {
    pub fn new(bytes: usize) -> Self {
        let locked = Locked::new(bytes);
        // SAFETY: it has that many bytes.
        unsafe { locked.pointer.write_bytes(0, bytes) };
        Self(locked)
    }
}

impl AsMut<[u8]> for Zeroed {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: the memory is its own, and all of it was written when it was made.
        unsafe { std::slice::from_raw_parts_mut(self.0.pointer, self.0.bytes) }
    }
}
