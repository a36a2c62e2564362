//! The driver's C types.
//!
//! Handles and plain structs are `cuda-driver-sys`'s. Whatever a call takes, returns or writes as an enum is a plain
//! `u32` here: a value newer than a Rust enum would be undefined behaviour. Structs that hold such enums, and those
//! that are newer than `cuda-driver-sys`, are declared here with their layout asserted.

pub(crate) use cuda_driver_sys::{CUcontext, CUdevice, CUdeviceptr, CUevent, CUstream, CUuuid};

/// `CUmemoryPool`: an opaque handle.
pub(crate) type CUmemoryPool = *mut CUmemPoolHandle_st;

/// What a `CUmemoryPool` points to; never seen.
#[repr(C)]
#[derive(Debug)]
#[allow(non_camel_case_types, reason = "the driver's own name")]
pub(crate) struct CUmemPoolHandle_st {
    _opaque: [u8; 0],
}

/// `CUgraph`: an opaque handle.
pub(crate) type CUgraph = *mut CUgraph_st;

/// What a `CUgraph` points to; never seen.
#[repr(C)]
#[derive(Debug)]
#[allow(non_camel_case_types, reason = "the driver's own name")]
pub(crate) struct CUgraph_st {
    _opaque: [u8; 0],
}

/// `CUhostFn`: what a stream calls on the host.
pub(crate) type CUhostFn = Option<unsafe extern "C" fn(*mut core::ffi::c_void)>;

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CUmemLocation {
    /// One of the `LOCATION_*` constants.
    pub(crate) kind: u32,
    /// The device's ordinal.
    pub(crate) id: i32,
}

/// `CUmemPoolProps`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CUmemPoolProps {
    /// `CU_MEM_ALLOCATION_TYPE_PINNED` is 1.
    pub(crate) alloc_type: u32,
    /// `CU_MEM_HANDLE_TYPE_NONE` is 0.
    pub(crate) handle_types: u32,
    /// Where the pool's memory lies.
    pub(crate) location: CUmemLocation,
    /// Null except on Windows.
    pub(crate) win32_security_attributes: *mut core::ffi::c_void,
    /// In bytes, 0 for the system's own limit.
    pub(crate) max_size: usize,
    /// Zero.
    pub(crate) usage: u16,
    /// Zero.
    pub(crate) reserved: [u8; 54],
}

const _: () = {
    use core::mem::{offset_of, size_of};
    assert!(size_of::<CUmemLocation>() == 8);
    assert!(size_of::<CUmemPoolProps>() == 88);
    assert!(offset_of!(CUmemPoolProps, location) == 8);
    assert!(offset_of!(CUmemPoolProps, win32_security_attributes) == 16);
    assert!(offset_of!(CUmemPoolProps, max_size) == 24);
    assert!(offset_of!(CUmemPoolProps, usage) == 32);
    assert!(size_of::<CUuuid>() == 16);
};

/// `CU_MEM_ALLOCATION_TYPE_PINNED`.
pub(crate) const ALLOCATION_TYPE_PINNED: u32 = 1;
/// `CU_MEM_LOCATION_TYPE_DEVICE`.
pub(crate) const LOCATION_DEVICE: u32 = 1;
/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`, a `u64` of bytes.
pub(crate) const POOL_RELEASE_THRESHOLD: u32 = 4;

/// `CU_STREAM_NON_BLOCKING`.
pub(crate) const STREAM_NON_BLOCKING: u32 = 1;
/// `CU_STREAM_CAPTURE_STATUS_NONE`.
pub(crate) const CAPTURE_NONE: u32 = 0;
/// `CU_STREAM_CAPTURE_MODE_GLOBAL`.
pub(crate) const CAPTURE_MODE_GLOBAL: u32 = 0;
/// `CU_STREAM_CAPTURE_MODE_THREAD_LOCAL`.
pub(crate) const CAPTURE_MODE_THREAD_LOCAL: u32 = 1;
/// `CU_STREAM_CAPTURE_MODE_RELAXED`.
pub(crate) const CAPTURE_MODE_RELAXED: u32 = 2;

/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, a `u32`: one of the `MEMORY_TYPE_*` constants.
pub(crate) const POINTER_MEMORY_TYPE: u32 = 2;
/// `CU_POINTER_ATTRIBUTE_IS_MANAGED`, a `u32`.
pub(crate) const POINTER_IS_MANAGED: u32 = 8;
/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`, an `i32`.
pub(crate) const POINTER_DEVICE_ORDINAL: u32 = 9;
/// `CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE`, a `CUmemoryPool`, null where the memory is of no pool.
pub(crate) const POINTER_MEMPOOL_HANDLE: u32 = 17;
/// `CU_MEMORYTYPE_HOST`.
pub(crate) const MEMORY_TYPE_HOST: u32 = 1;
/// `CU_MEMORYTYPE_DEVICE`.
pub(crate) const MEMORY_TYPE_DEVICE: u32 = 2;

/// A driver handle that may be used from any thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Handle<P>(pub(crate) P);

// SAFETY: a handle is an opaque name that is never dereferenced here, and the driver takes its own handles from any
// thread.
unsafe impl<P> Send for Handle<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for Handle<P> {}
