//! The driver's functions, called directly through a loaded library.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::LazyLock;

use libloading::Library;

pub type Stream = *mut c_void;

/// `CUDA_MEMCPY2D_v2`.
#[repr(C)]
pub struct Copy2d {
    pub src_x: usize,
    pub src_y: usize,
    pub src_kind: u32,
    pub src_host: *const c_void,
    pub src_device: u64,
    pub src_array: *const c_void,
    pub src_pitch: usize,
    pub dst_x: usize,
    pub dst_y: usize,
    pub dst_kind: u32,
    pub dst_host: *mut c_void,
    pub dst_device: u64,
    pub dst_array: *const c_void,
    pub dst_pitch: usize,
    pub width: usize,
    pub height: usize,
}

macro_rules! functions {
    ($($name:ident = $symbol:literal($($type:ty),*);)*) => {
        pub struct Driver {
            $(pub $name: unsafe extern "C" fn($($type),*) -> u32,)*
        }

        impl Driver {
            fn load() -> Result<Self, libloading::Error> {
                // SAFETY: the driver may be loaded at any time. It stays loaded.
                let library: &'static Library = Box::leak(Box::new(unsafe { Library::new("libcuda.so.1") }?));
                // SAFETY: the driver's function of each name has the signature of the field.
                Ok(Self { $($name: *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }?,)* })
            }
        }
    };
}
functions! {
    init = "cuInit"(u32);
    version = "cuDriverGetVersion"(*mut c_int);
    device_name = "cuDeviceGetName"(*mut c_char, c_int, c_int);
    retain = "cuDevicePrimaryCtxRetain"(*mut *mut c_void, c_int);
    set_current = "cuCtxSetCurrent"(*mut c_void);
    stream = "cuStreamCreate"(*mut Stream, u32);
    wait = "cuStreamSynchronize"(Stream);
    alloc = "cuMemAlloc_v2"(*mut u64, usize);
    free = "cuMemFree_v2"(u64);
    host_alloc = "cuMemHostAlloc"(*mut *mut c_void, usize, u32);
    free_host = "cuMemFreeHost"(*mut c_void);
    htod = "cuMemcpyHtoDAsync_v2"(u64, *const c_void, usize, Stream);
    dtoh = "cuMemcpyDtoHAsync_v2"(*mut c_void, u64, usize, Stream);
    dtod = "cuMemcpyDtoDAsync_v2"(u64, u64, usize, Stream);
    memset = "cuMemsetD8Async"(u64, u8, usize, Stream);
    rows = "cuMemcpy2DAsync_v2"(*const Copy2d, Stream);
}

pub static DRIVER: LazyLock<Driver> = LazyLock::new(|| Driver::load().expect("the CUDA driver"));

#[track_caller]
pub fn check(status: u32) {
    assert_eq!(status, 0, "the driver failed");
}

/// Makes the device's primary context current on this thread.
pub fn enter() {
    let mut context = ptr::null_mut();
    // SAFETY: `context` has room for what is asked; `cuInit` may be called again.
    unsafe {
        check((DRIVER.init)(0));
        check((DRIVER.retain)(&raw mut context, 0));
        check((DRIVER.set_current)(context));
    }
}

/// The name of device 0, and CUDA's version.
pub fn about() -> (String, String) {
    let (mut name, mut version) = ([0; 256], 0);
    // SAFETY: both have room for what is asked.
    unsafe {
        check((DRIVER.init)(0));
        check((DRIVER.device_name)(name.as_mut_ptr(), 256, 0));
        check((DRIVER.version)(&raw mut version));
    }
    // SAFETY: the driver wrote a C string.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    (name, format!("CUDA {}.{}", version / 1000, version % 1000 / 10))
}

/// Page-locked memory of the driver's, usable in every context. All of it is zero.
pub struct Locked {
    pointer: *mut u8,
    bytes: usize,
}

// SAFETY: it owns its memory, and the driver frees from any thread with a context.
unsafe impl Send for Locked {}

impl Locked {
    /// Not touched by the process: allocated and nothing more.
    pub fn new(bytes: usize) -> Self {
        let mut pointer = ptr::null_mut();
        // SAFETY: `pointer` has room for what is asked; 1 is CU_MEMHOSTALLOC_PORTABLE.
        check(unsafe { (DRIVER.host_alloc)(&raw mut pointer, bytes, 1) });
        Self { pointer: pointer.cast(), bytes }
    }

    pub fn zeroed(bytes: usize) -> Self {
        let locked = Self::new(bytes);
        // SAFETY: it has that many bytes.
        unsafe { locked.pointer.write_bytes(0, bytes) };
        locked
    }
}

impl AsMut<[u8]> for Locked {
    fn as_mut(&mut self) -> &mut [u8] {
        // SAFETY: the memory is its own, and was written when it was made by `zeroed`; the driver's is zero.
        unsafe { std::slice::from_raw_parts_mut(self.pointer, self.bytes) }
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        // SAFETY: allocated by the driver, and in use by nothing: every copy has been waited for.
        check(unsafe { (DRIVER.free_host)(self.pointer.cast()) });
    }
}
