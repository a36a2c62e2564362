//! The driver's C types.
//!
//! Handles and plain structs are `cuda-driver-sys`'s. Whatever a call takes, returns or writes as an enum is a plain
//! `u32` here: a value newer than a Rust enum would be undefined behaviour. Structs that hold such enums, and those
//! that are newer than `cuda-driver-sys`, are declared here with their layout asserted.

use core::ffi::c_void;

pub(crate) use cuda_driver_sys::{CUarray, CUcontext, CUdevice, CUdeviceptr, CUevent, CUstream, CUuuid};

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
pub(crate) type CUhostFn = Option<unsafe extern "C" fn(*mut c_void)>;

/// `CUmemLocation`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CUmemLocation {
    /// One of the `LOCATION_*` constants.
    pub(crate) kind: u32,
    /// The device's ordinal.
    pub(crate) id: i32,
}

/// `CUmemAccessDesc`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct CUmemAccessDesc {
    /// Whose access.
    pub(crate) location: CUmemLocation,
    /// One of the `ACCESS_*` constants.
    pub(crate) flags: u32,
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
    pub(crate) win32_security_attributes: *mut c_void,
    /// In bytes, 0 for the system's own limit.
    pub(crate) max_size: usize,
    /// Zero.
    pub(crate) usage: u16,
    /// Zero.
    pub(crate) reserved: [u8; 54],
}

/// `CUDA_MEMCPY2D`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "the driver's own name")]
pub(crate) struct CUDA_MEMCPY2D {
    pub(crate) src_x_in_bytes: usize,
    pub(crate) src_y: usize,
    /// One of the `MEMORY_TYPE_*` constants; it says which of the next three is used.
    pub(crate) src_memory_type: u32,
    pub(crate) src_host: *const c_void,
    pub(crate) src_device: CUdeviceptr,
    pub(crate) src_array: CUarray,
    /// In bytes, at least what of a row is used.
    pub(crate) src_pitch: usize,
    pub(crate) dst_x_in_bytes: usize,
    pub(crate) dst_y: usize,
    /// As of the source.
    pub(crate) dst_memory_type: u32,
    pub(crate) dst_host: *mut c_void,
    pub(crate) dst_device: CUdeviceptr,
    pub(crate) dst_array: CUarray,
    /// As of the source.
    pub(crate) dst_pitch: usize,
    pub(crate) width_in_bytes: usize,
    pub(crate) height: usize,
}

/// `CUDA_MEMCPY3D`, and `CUDA_MEMCPY3D_PEER`, which has contexts where the other is reserved.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
#[allow(non_camel_case_types, reason = "the driver's own name")]
pub(crate) struct CUDA_MEMCPY3D {
    pub(crate) src_x_in_bytes: usize,
    pub(crate) src_y: usize,
    pub(crate) src_z: usize,
    /// Zero.
    pub(crate) src_lod: usize,
    /// One of the `MEMORY_TYPE_*` constants; it says which of the next three is used.
    pub(crate) src_memory_type: u32,
    pub(crate) src_host: *const c_void,
    pub(crate) src_device: CUdeviceptr,
    pub(crate) src_array: CUarray,
    /// Null, but in a peer copy.
    pub(crate) src_context: *mut c_void,
    /// In bytes, at least what of a row is used.
    pub(crate) src_pitch: usize,
    /// In rows, at least what of a slice is used; of one slice it may be 0.
    pub(crate) src_height: usize,
    pub(crate) dst_x_in_bytes: usize,
    pub(crate) dst_y: usize,
    pub(crate) dst_z: usize,
    /// Zero.
    pub(crate) dst_lod: usize,
    /// As of the source.
    pub(crate) dst_memory_type: u32,
    pub(crate) dst_host: *mut c_void,
    pub(crate) dst_device: CUdeviceptr,
    pub(crate) dst_array: CUarray,
    /// As of the source.
    pub(crate) dst_context: *mut c_void,
    /// As of the source.
    pub(crate) dst_pitch: usize,
    /// As of the source.
    pub(crate) dst_height: usize,
    pub(crate) width_in_bytes: usize,
    pub(crate) height: usize,
    pub(crate) depth: usize,
}

/// `CUDA_ARRAY_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "the driver's own name")]
pub(crate) struct CUDA_ARRAY_DESCRIPTOR {
    /// In elements.
    pub(crate) width: usize,
    /// In rows; 0 of a 1-D array.
    pub(crate) height: usize,
    /// One of the `ARRAY_FORMAT_*` constants.
    pub(crate) format: u32,
    /// Of an element: 1, 2 or 4.
    pub(crate) channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "the driver's own name")]
pub(crate) struct CUDA_ARRAY3D_DESCRIPTOR {
    /// In elements.
    pub(crate) width: usize,
    /// In rows; 0 of a 1-D array, layered or not.
    pub(crate) height: usize,
    /// In slices, layers or faces; 0 of a 1-D or 2-D array.
    pub(crate) depth: usize,
    /// One of the `ARRAY_FORMAT_*` constants.
    pub(crate) format: u32,
    /// Of an element: 1, 2 or 4.
    pub(crate) channels: u32,
    /// Of the `ARRAY_*` flags.
    pub(crate) flags: u32,
}

const _: () = {
    use core::mem::{offset_of, size_of};
    assert!(size_of::<CUDA_ARRAY_DESCRIPTOR>() == 24);
    assert!(offset_of!(CUDA_ARRAY_DESCRIPTOR, width) == 0);
    assert!(offset_of!(CUDA_ARRAY_DESCRIPTOR, height) == 8);
    assert!(offset_of!(CUDA_ARRAY_DESCRIPTOR, format) == 16);
    assert!(offset_of!(CUDA_ARRAY_DESCRIPTOR, channels) == 20);
    assert!(size_of::<CUDA_ARRAY3D_DESCRIPTOR>() == 40);
    assert!(offset_of!(CUDA_ARRAY3D_DESCRIPTOR, width) == 0);
    assert!(offset_of!(CUDA_ARRAY3D_DESCRIPTOR, height) == 8);
    assert!(offset_of!(CUDA_ARRAY3D_DESCRIPTOR, depth) == 16);
    assert!(offset_of!(CUDA_ARRAY3D_DESCRIPTOR, format) == 24);
    assert!(offset_of!(CUDA_ARRAY3D_DESCRIPTOR, channels) == 28);
    assert!(offset_of!(CUDA_ARRAY3D_DESCRIPTOR, flags) == 32);
    assert!(size_of::<CUDA_MEMCPY2D>() == 128);
    assert!(offset_of!(CUDA_MEMCPY2D, src_x_in_bytes) == 0);
    assert!(offset_of!(CUDA_MEMCPY2D, src_y) == 8);
    assert!(offset_of!(CUDA_MEMCPY2D, src_memory_type) == 16);
    assert!(offset_of!(CUDA_MEMCPY2D, src_host) == 24);
    assert!(offset_of!(CUDA_MEMCPY2D, src_device) == 32);
    assert!(offset_of!(CUDA_MEMCPY2D, src_array) == 40);
    assert!(offset_of!(CUDA_MEMCPY2D, src_pitch) == 48);
    assert!(offset_of!(CUDA_MEMCPY2D, dst_x_in_bytes) == 56);
    assert!(offset_of!(CUDA_MEMCPY2D, dst_y) == 64);
    assert!(offset_of!(CUDA_MEMCPY2D, dst_memory_type) == 72);
    assert!(offset_of!(CUDA_MEMCPY2D, dst_host) == 80);
    assert!(offset_of!(CUDA_MEMCPY2D, dst_device) == 88);
    assert!(offset_of!(CUDA_MEMCPY2D, dst_array) == 96);
    assert!(offset_of!(CUDA_MEMCPY2D, dst_pitch) == 104);
    assert!(offset_of!(CUDA_MEMCPY2D, width_in_bytes) == 112);
    assert!(offset_of!(CUDA_MEMCPY2D, height) == 120);
    assert!(size_of::<CUDA_MEMCPY3D>() == 200);
    assert!(offset_of!(CUDA_MEMCPY3D, src_z) == 16);
    assert!(offset_of!(CUDA_MEMCPY3D, src_lod) == 24);
    assert!(offset_of!(CUDA_MEMCPY3D, src_memory_type) == 32);
    assert!(offset_of!(CUDA_MEMCPY3D, src_host) == 40);
    assert!(offset_of!(CUDA_MEMCPY3D, src_device) == 48);
    assert!(offset_of!(CUDA_MEMCPY3D, src_array) == 56);
    assert!(offset_of!(CUDA_MEMCPY3D, src_context) == 64);
    assert!(offset_of!(CUDA_MEMCPY3D, src_pitch) == 72);
    assert!(offset_of!(CUDA_MEMCPY3D, src_height) == 80);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_x_in_bytes) == 88);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_y) == 96);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_z) == 104);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_lod) == 112);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_memory_type) == 120);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_host) == 128);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_device) == 136);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_array) == 144);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_context) == 152);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_pitch) == 160);
    assert!(offset_of!(CUDA_MEMCPY3D, dst_height) == 168);
    assert!(offset_of!(CUDA_MEMCPY3D, width_in_bytes) == 176);
    assert!(offset_of!(CUDA_MEMCPY3D, height) == 184);
    assert!(offset_of!(CUDA_MEMCPY3D, depth) == 192);
    assert!(size_of::<CUmemLocation>() == 8);
    assert!(size_of::<CUmemAccessDesc>() == 12);
    assert!(offset_of!(CUmemAccessDesc, flags) == 8);
    assert!(size_of::<CUmemPoolProps>() == 88);
    assert!(offset_of!(CUmemPoolProps, location) == 8);
    assert!(offset_of!(CUmemPoolProps, win32_security_attributes) == 16);
    assert!(offset_of!(CUmemPoolProps, max_size) == 24);
    assert!(offset_of!(CUmemPoolProps, usage) == 32);
    assert!(size_of::<CUuuid>() == 16);
};

/// `CU_MEM_ALLOCATION_TYPE_PINNED`.
pub(crate) const ALLOCATION_TYPE_PINNED: u32 = 1;
/// `CU_MEM_LOCATION_TYPE_NONE`, and `_INVALID`.
pub(crate) const LOCATION_NONE: u32 = 0;
/// `CU_MEM_LOCATION_TYPE_DEVICE`.
pub(crate) const LOCATION_DEVICE: u32 = 1;
/// `CU_MEM_LOCATION_TYPE_HOST`.
pub(crate) const LOCATION_HOST: u32 = 2;
/// `CU_MEM_ACCESS_FLAGS_PROT_NONE`.
pub(crate) const ACCESS_NONE: u32 = 0;
/// `CU_MEM_ACCESS_FLAGS_PROT_READ`.
pub(crate) const ACCESS_READ: u32 = 1;
/// `CU_MEM_ACCESS_FLAGS_PROT_READWRITE`.
pub(crate) const ACCESS_READ_WRITE: u32 = 3;
/// `CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES`, the first of three switches, `int`s.
pub(crate) const POOL_REUSE_FOLLOW_EVENT_DEPENDENCIES: u32 = 1;
/// `CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC`.
pub(crate) const POOL_REUSE_ALLOW_OPPORTUNISTIC: u32 = 2;
/// `CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES`.
pub(crate) const POOL_REUSE_ALLOW_INTERNAL_DEPENDENCIES: u32 = 3;
/// `CU_MEMPOOL_ATTR_RELEASE_THRESHOLD`, a `u64` of bytes.
pub(crate) const POOL_RELEASE_THRESHOLD: u32 = 4;
/// `CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT`, a `u64` of bytes, as the three that follow it.
pub(crate) const POOL_RESERVED_CURRENT: u32 = 5;
/// `CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH`.
pub(crate) const POOL_RESERVED_HIGH: u32 = 6;
/// `CU_MEMPOOL_ATTR_USED_MEM_CURRENT`.
pub(crate) const POOL_USED_CURRENT: u32 = 7;
/// `CU_MEMPOOL_ATTR_USED_MEM_HIGH`.
pub(crate) const POOL_USED_HIGH: u32 = 8;

/// `CU_EVENT_DISABLE_TIMING`.
pub(crate) const EVENT_DISABLE_TIMING: u32 = 2;

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

/// `CU_POINTER_ATTRIBUTE_CONTEXT`, a `CUcontext`, null for memory of a pool.
pub(crate) const POINTER_CONTEXT: u32 = 1;
/// `CU_POINTER_ATTRIBUTE_MEMORY_TYPE`, a `u32`: one of the `MEMORY_TYPE_*` constants.
pub(crate) const POINTER_MEMORY_TYPE: u32 = 2;
/// `CU_POINTER_ATTRIBUTE_DEVICE_POINTER`, a `CUdeviceptr`.
pub(crate) const POINTER_DEVICE_POINTER: u32 = 3;
/// `CU_POINTER_ATTRIBUTE_HOST_POINTER`, a pointer.
pub(crate) const POINTER_HOST_POINTER: u32 = 4;
/// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`, a `u32`.
pub(crate) const POINTER_SYNC_MEMOPS: u32 = 6;
/// `CU_POINTER_ATTRIBUTE_BUFFER_ID`, a `u64`.
pub(crate) const POINTER_BUFFER_ID: u32 = 7;
/// `CU_POINTER_ATTRIBUTE_IS_MANAGED`, a `u32`.
pub(crate) const POINTER_IS_MANAGED: u32 = 8;
/// `CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL`, an `i32`.
pub(crate) const POINTER_DEVICE_ORDINAL: u32 = 9;
/// `CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE`, a `u32`.
pub(crate) const POINTER_IS_IPC_CAPABLE: u32 = 10;
/// `CU_POINTER_ATTRIBUTE_RANGE_START_ADDR`, a `CUdeviceptr`.
pub(crate) const POINTER_RANGE_START: u32 = 11;
/// `CU_POINTER_ATTRIBUTE_RANGE_SIZE`, a `size_t`.
pub(crate) const POINTER_RANGE_SIZE: u32 = 12;
/// `CU_POINTER_ATTRIBUTE_MAPPED`, a `u32`.
pub(crate) const POINTER_MAPPED: u32 = 13;
/// `CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES`, a `u64`.
pub(crate) const POINTER_HANDLE_TYPES: u32 = 14;
/// `CU_POINTER_ATTRIBUTE_ACCESS_FLAGS`, a `u32`: one of the `ACCESS_*` constants.
pub(crate) const POINTER_ACCESS_FLAGS: u32 = 16;
/// `CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE`, a `CUmemoryPool`, null where the memory is of no pool.
pub(crate) const POINTER_MEMPOOL_HANDLE: u32 = 17;
/// `CU_DEVICE_ATTRIBUTE_MAX_PITCH`, as every device has it: the most bytes from one row to the next.
pub(crate) const MAX_PITCH: usize = i32::MAX as usize;
/// `CU_MEMORYTYPE_HOST`.
pub(crate) const MEMORY_TYPE_HOST: u32 = 1;
/// `CU_MEMORYTYPE_DEVICE`.
pub(crate) const MEMORY_TYPE_DEVICE: u32 = 2;
/// `CU_MEMORYTYPE_ARRAY`.
pub(crate) const MEMORY_TYPE_ARRAY: u32 = 3;
/// `CU_MEMORYTYPE_UNIFIED`: the address says which.
pub(crate) const MEMORY_TYPE_UNIFIED: u32 = 4;

/// `CU_MEMHOSTALLOC_PORTABLE`, and `CU_MEMHOSTREGISTER_PORTABLE`.
pub(crate) const HOST_PORTABLE: u32 = 1;
/// `CU_MEMHOSTALLOC_DEVICEMAP`, and `CU_MEMHOSTREGISTER_DEVICEMAP`.
pub(crate) const HOST_DEVICE_MAPPED: u32 = 2;
/// `CU_MEMHOSTALLOC_WRITECOMBINED`.
pub(crate) const HOST_WRITE_COMBINED: u32 = 4;
/// `CU_MEMHOSTREGISTER_IOMEMORY`: the same bit as [`HOST_WRITE_COMBINED`].
pub(crate) const REGISTER_IO_MEMORY: u32 = 4;
/// `CU_MEMHOSTREGISTER_READ_ONLY`.
pub(crate) const REGISTER_READ_ONLY: u32 = 8;

/// `CU_MEM_ATTACH_GLOBAL`.
pub(crate) const ATTACH_GLOBAL: u32 = 1;
/// `CU_MEM_ATTACH_HOST`.
pub(crate) const ATTACH_HOST: u32 = 2;
/// `CU_MEM_ATTACH_SINGLE`: for a stream alone.
pub(crate) const ATTACH_SINGLE: u32 = 4;

/// `CU_DEVICE_CPU`: the host, where a device's number is expected.
pub(crate) const DEVICE_CPU: CUdevice = -1;
/// `CU_DEVICE_INVALID`: no place, or several.
pub(crate) const DEVICE_INVALID: CUdevice = -2;

/// `CU_MEM_ADVISE_SET_READ_MOSTLY`.
pub(crate) const ADVISE_SET_READ_MOSTLY: u32 = 1;
/// `CU_MEM_ADVISE_UNSET_READ_MOSTLY`.
pub(crate) const ADVISE_UNSET_READ_MOSTLY: u32 = 2;
/// `CU_MEM_ADVISE_SET_PREFERRED_LOCATION`.
pub(crate) const ADVISE_SET_PREFERRED_LOCATION: u32 = 3;
/// `CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION`.
pub(crate) const ADVISE_UNSET_PREFERRED_LOCATION: u32 = 4;
/// `CU_MEM_ADVISE_SET_ACCESSED_BY`.
pub(crate) const ADVISE_SET_ACCESSED_BY: u32 = 5;
/// `CU_MEM_ADVISE_UNSET_ACCESSED_BY`.
pub(crate) const ADVISE_UNSET_ACCESSED_BY: u32 = 6;

/// `CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY`, a 32-bit 0 or 1.
pub(crate) const RANGE_READ_MOSTLY: u32 = 1;
/// `CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION`, a device's number, or `DEVICE_CPU`, or `DEVICE_INVALID`.
pub(crate) const RANGE_PREFERRED_LOCATION: u32 = 2;
/// `CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY`, as many such numbers as there is room for.
pub(crate) const RANGE_ACCESSED_BY: u32 = 3;
/// `CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION`, such a number.
pub(crate) const RANGE_LAST_PREFETCH: u32 = 4;

/// `CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE`, a `u32`: one of the `LOCATION_*` constants.
pub(crate) const RANGE_PREFERRED_TYPE: u32 = 5;
/// `CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID`, an `i32` that goes with it.
pub(crate) const RANGE_PREFERRED_ID: u32 = 6;
/// `CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE`, as of the preferred location.
pub(crate) const RANGE_LAST_PREFETCH_TYPE: u32 = 7;
/// `CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID`, as of the preferred location.
pub(crate) const RANGE_LAST_PREFETCH_ID: u32 = 8;

/// `CU_AD_FORMAT_UNSIGNED_INT8`.
pub(crate) const ARRAY_FORMAT_U8: u32 = 0x01;
/// `CU_AD_FORMAT_UNSIGNED_INT16`.
pub(crate) const ARRAY_FORMAT_U16: u32 = 0x02;
/// `CU_AD_FORMAT_UNSIGNED_INT32`.
pub(crate) const ARRAY_FORMAT_U32: u32 = 0x03;
/// `CU_AD_FORMAT_SIGNED_INT8`.
pub(crate) const ARRAY_FORMAT_I8: u32 = 0x08;
/// `CU_AD_FORMAT_SIGNED_INT16`.
pub(crate) const ARRAY_FORMAT_I16: u32 = 0x09;
/// `CU_AD_FORMAT_SIGNED_INT32`.
pub(crate) const ARRAY_FORMAT_I32: u32 = 0x0a;
/// `CU_AD_FORMAT_HALF`.
pub(crate) const ARRAY_FORMAT_F16: u32 = 0x10;
/// `CU_AD_FORMAT_FLOAT`.
pub(crate) const ARRAY_FORMAT_F32: u32 = 0x20;
/// `CUDA_ARRAY3D_LAYERED`.
pub(crate) const ARRAY_LAYERED: u32 = 1;
/// `CUDA_ARRAY3D_SURFACE_LDST`.
pub(crate) const ARRAY_SURFACE_LOAD_STORE: u32 = 2;
/// `CUDA_ARRAY3D_CUBEMAP`.
pub(crate) const ARRAY_CUBEMAP: u32 = 4;
/// `CUDA_ARRAY3D_TEXTURE_GATHER`.
pub(crate) const ARRAY_TEXTURE_GATHER: u32 = 8;

/// A driver handle that may be used from any thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub(crate) struct Handle<P>(pub(crate) P);

// SAFETY: a handle is an opaque name that is never dereferenced here, and the driver takes its own handles from any
// thread.
unsafe impl<P> Send for Handle<P> {}
// SAFETY: as above.
unsafe impl<P> Sync for Handle<P> {}
