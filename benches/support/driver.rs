//! The driver's functions, called directly through a loaded library: beside memcore, and never through it.

use std::ffi::{c_char, c_int, c_void};
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
                Ok(Self {
                    // SAFETY: the driver's function of this name has the signature of the field.
                    $($name: *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }?,)*
                })
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
    attribute = "cuPointerGetAttribute"(*mut c_void, u32, u64);
    stream = "cuStreamCreateWithPriority"(*mut Stream, u32, c_int);
    wait = "cuStreamSynchronize"(Stream);
    alloc = "cuMemAlloc_v2"(*mut u64, usize);
    free = "cuMemFree_v2"(u64);
    pool_alloc = "cuMemAllocFromPoolAsync"(*mut u64, usize, *mut c_void, Stream);
    pool_free = "cuMemFreeAsync"(u64, Stream);
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
