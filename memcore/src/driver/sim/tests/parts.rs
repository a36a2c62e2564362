//! Pitched copies, as a C program would describe them.

use core::ffi::c_void;
use core::ptr;

use crate::driver::ffi::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUdeviceptr, MEMORY_TYPE_ARRAY, MEMORY_TYPE_DEVICE, MEMORY_TYPE_HOST,
    MEMORY_TYPE_UNIFIED,
};

/// One side of a pitched copy.
#[derive(Clone, Copy, Debug)]
pub(in crate::driver) struct Part {
    memory_type: u32,
    host: *mut c_void,
    device: CUdeviceptr,
    array: CUarray,
    begin: [usize; 3],
    pitch: usize,
    height: usize,
}

impl Part {
    pub(in crate::driver) fn device(device: CUdeviceptr, pitch: usize) -> Self {
        let (host, array) = (ptr::null_mut(), ptr::null_mut());
        Self { memory_type: MEMORY_TYPE_DEVICE, host, device, array, begin: [0; 3], pitch, height: 0 }
    }

    pub(in crate::driver) fn array(array: CUarray) -> Self {
        Self { memory_type: MEMORY_TYPE_ARRAY, array, ..Self::device(0, 0) }
    }

    pub(in crate::driver) fn unified(address: CUdeviceptr, pitch: usize) -> Self {
        Self { memory_type: MEMORY_TYPE_UNIFIED, ..Self::device(address, pitch) }
    }

    pub(in crate::driver) fn host(host: *mut c_void, pitch: usize) -> Self {
        Self { memory_type: MEMORY_TYPE_HOST, host, ..Self::device(0, pitch) }
    }

    /// A source that is never written.
    pub(in crate::driver) fn bytes(bytes: &[u8], pitch: usize) -> Self {
        Self::host(bytes.as_ptr().cast_mut().cast(), pitch)
    }

    /// From this byte, row and slice on.
    pub(in crate::driver) fn at(self, begin: [usize; 3]) -> Self {
        Self { begin, ..self }
    }

    pub(in crate::driver) fn pitch(self, pitch: usize) -> Self {
        Self { pitch, ..self }
    }

    pub(in crate::driver) fn memory_type(self, memory_type: u32) -> Self {
        Self { memory_type, ..self }
    }

    pub(in crate::driver) fn height(self, height: usize) -> Self {
        Self { height, ..self }
    }
}

pub(in crate::driver) fn copy_2d(to: Part, from: Part, [width, height]: [usize; 2]) -> CUDA_MEMCPY2D {
    let ([dst_x_in_bytes, dst_y, _], [src_x_in_bytes, src_y, _]) = (to.begin, from.begin);
    CUDA_MEMCPY2D {
        src_x_in_bytes,
        src_y,
        src_memory_type: from.memory_type,
        src_host: from.host.cast_const(),
        src_device: from.device,
        src_array: from.array,
        src_pitch: from.pitch,
        dst_x_in_bytes,
        dst_y,
        dst_memory_type: to.memory_type,
        dst_host: to.host,
        dst_device: to.device,
        dst_array: to.array,
        dst_pitch: to.pitch,
        width_in_bytes: width,
        height,
    }
}

pub(in crate::driver) fn copy_3d(to: Part, from: Part, [width, height, depth]: [usize; 3]) -> CUDA_MEMCPY3D {
    let ([dst_x_in_bytes, dst_y, dst_z], [src_x_in_bytes, src_y, src_z]) = (to.begin, from.begin);
    CUDA_MEMCPY3D {
        src_x_in_bytes,
        src_y,
        src_z,
        src_lod: 0,
        src_memory_type: from.memory_type,
        src_host: from.host.cast_const(),
        src_device: from.device,
        src_array: from.array,
        src_context: ptr::null_mut(),
        src_pitch: from.pitch,
        src_height: from.height,
        dst_x_in_bytes,
        dst_y,
        dst_z,
        dst_lod: 0,
        dst_memory_type: to.memory_type,
        dst_host: to.host,
        dst_device: to.device,
        dst_array: to.array,
        dst_context: ptr::null_mut(),
        dst_pitch: to.pitch,
        dst_height: to.height,
        width_in_bytes: width,
        height,
        depth,
    }
}
