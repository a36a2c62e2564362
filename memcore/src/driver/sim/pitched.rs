//! Copies of rows: between places in pitched memory. A 2-D copy is a 3-D one of a single slice.

use core::ffi::c_void;
use core::ptr;

use super::array::Part;
use super::call::{Answer, Call, as_handle, read_in};
use super::copy::Side;
use super::machine::Machine;
use super::rows::Rows;
use crate::driver::ffi::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUdeviceptr, CUstream, MAX_PITCH, MEMORY_TYPE_ARRAY, MEMORY_TYPE_DEVICE,
    MEMORY_TYPE_HOST, MEMORY_TYPE_UNIFIED,
};
use crate::error::Status;

/// One side of a copy, as its struct describes it.
#[derive(Clone, Copy, Debug)]
struct Place {
    memory_type: u32,
    host: *const c_void,
    device: CUdeviceptr,
    array: CUarray,
    /// The mipmap level, of an array.
    level: usize,
    /// Byte, row and slice that the copy begins at.
    begin: [usize; 3],
    pitch: usize,
    /// Rows from one slice to the next.
    height: usize,
}

impl Place {
    const fn source(copy: &CUDA_MEMCPY3D) -> Self {
        Self {
            memory_type: copy.src_memory_type,
            host: copy.src_host,
            device: copy.src_device,
            array: copy.src_array,
            level: copy.src_lod,
            begin: [copy.src_x_in_bytes, copy.src_y, copy.src_z],
            pitch: copy.src_pitch,
            height: copy.src_height,
        }
    }

    const fn destination(copy: &CUDA_MEMCPY3D) -> Self {
        Self {
            memory_type: copy.dst_memory_type,
            host: copy.dst_host.cast_const(),
            device: copy.dst_device,
            array: copy.dst_array,
            level: copy.dst_lod,
            begin: [copy.dst_x_in_bytes, copy.dst_y, copy.dst_z],
            pitch: copy.dst_pitch,
            height: copy.dst_height,
        }
    }

    /// Refuses memory that copies of rows do not know.
    fn check_memory_type(&self) -> Answer {
        match self.memory_type {
            MEMORY_TYPE_HOST | MEMORY_TYPE_DEVICE | MEMORY_TYPE_ARRAY | MEMORY_TYPE_UNIFIED => Ok(()),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    /// The bytes that a copy of this shape uses here.
    fn side(&self, shape: [usize; 3]) -> Answer<Side> {
        let rows = |base: u64| {
            let rows = if base == 0 { None } else { self.rows(base, shape) };
            rows.ok_or(Status::INVALID_VALUE)
        };
        match self.memory_type {
            MEMORY_TYPE_HOST => rows(self.host.expose_provenance() as u64).map(Side::Host),
            MEMORY_TYPE_DEVICE => rows(self.device).map(Side::Device),
            // Arrays with levels are not made here.
            MEMORY_TYPE_ARRAY if self.level != 0 => Err(Status::INVALID_VALUE),
            MEMORY_TYPE_ARRAY => Ok(Side::Array(Part { array: as_handle(self.array), begin: self.begin, shape })),
            // What the driver does not know at such an address is pageable.
            _ => rows(self.device).map(Side::Host),
        }
    }

    fn rows(&self, base: u64, [width, rows, slices]: [usize; 3]) -> Option<Rows> {
        let [x, y, z] = self.begin;
        let in_row = x.checked_add(width)? <= self.pitch && self.pitch <= MAX_PITCH;
        // Of a single slice the height is not needed.
        let in_slice = (slices == 1 && self.height == 0) || y.checked_add(rows)? <= self.height;
        let row = z.checked_mul(self.height)?.checked_add(y)?;
        let start = base.checked_add(row.checked_mul(self.pitch)?.checked_add(x)? as u64)?;
        let shape = [width as u64, rows as u64, slices as u64];
        Rows::new(start, shape, self.pitch as u64, self.height as u64).filter(|_| in_row && in_slice)
    }
}

/// A 2-D copy as a 3-D one of a single slice.
const fn in_3d(copy: &CUDA_MEMCPY2D) -> CUDA_MEMCPY3D {
    CUDA_MEMCPY3D {
        src_x_in_bytes: copy.src_x_in_bytes,
        src_y: copy.src_y,
        src_z: 0,
        src_lod: 0,
        src_memory_type: copy.src_memory_type,
        src_host: copy.src_host,
        src_device: copy.src_device,
        src_array: copy.src_array,
        src_context: ptr::null_mut(),
        src_pitch: copy.src_pitch,
        src_height: 0,
        dst_x_in_bytes: copy.dst_x_in_bytes,
        dst_y: copy.dst_y,
        dst_z: 0,
        dst_lod: 0,
        dst_memory_type: copy.dst_memory_type,
        dst_host: copy.dst_host,
        dst_device: copy.dst_device,
        dst_array: copy.dst_array,
        dst_context: ptr::null_mut(),
        dst_pitch: copy.dst_pitch,
        dst_height: 0,
        width_in_bytes: copy.width_in_bytes,
        height: copy.height,
        depth: 1,
    }
}

impl Machine {
    /// # Safety
    ///
    /// The driver contract of both sides.
    unsafe fn copy_rows(&mut self, call: &Call, stream: u64, copy: &CUDA_MEMCPY3D, synchronous: bool) -> Answer {
        let (to, from) = (Place::destination(copy), Place::source(copy));
        to.check_memory_type()?;
        from.check_memory_type()?;
        let shape = [copy.width_in_bytes, copy.height, copy.depth];
        if shape.contains(&0) {
            return Ok(());
        }
        // SAFETY: this function's contract.
        unsafe { self.copy(call, stream, (to.side(shape)?, from.side(shape)?), synchronous) }
    }

    /// # Safety
    ///
    /// `copy` is null or good for a read, and the driver contract of both sides.
    unsafe fn copy_2d(&mut self, call: &Call, stream: u64, copy: *const CUDA_MEMCPY2D, synchronous: bool) -> Answer {
        // SAFETY: this function's contract.
        let copy = unsafe { read_in(copy) }?;
        // SAFETY: this function's contract.
        unsafe { self.copy_rows(call, stream, &in_3d(&copy), synchronous) }
    }

    /// # Safety
    ///
    /// As for `copy_2d`.
    unsafe fn copy_3d(&mut self, call: &Call, stream: u64, copy: *const CUDA_MEMCPY3D, synchronous: bool) -> Answer {
        // SAFETY: this function's contract.
        let copy = unsafe { read_in(copy) }?;
        // SAFETY: this function's contract.
        unsafe { self.copy_rows(call, stream, &copy, synchronous) }
    }

    pub(super) unsafe fn memcpy_2d(&mut self, call: &Call, copy: *const CUDA_MEMCPY2D) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy_2d(call, stream, copy, true) }
    }

    pub(super) unsafe fn memcpy_2d_unaligned(&mut self, call: &Call, copy: *const CUDA_MEMCPY2D) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy_2d(call, stream, copy, true) }
    }

    pub(super) unsafe fn memcpy_2d_async(
        &mut self,
        call: &Call,
        copy: *const CUDA_MEMCPY2D,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.copy_2d(call, stream, copy, false) }
    }

    pub(super) unsafe fn memcpy_3d(&mut self, call: &Call, copy: *const CUDA_MEMCPY3D) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy_3d(call, stream, copy, true) }
    }

    pub(super) unsafe fn memcpy_3d_async(
        &mut self,
        call: &Call,
        copy: *const CUDA_MEMCPY3D,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.copy_3d(call, stream, copy, false) }
    }

    pub(super) unsafe fn memcpy_3d_peer_async(
        &mut self,
        call: &Call,
        copy: *const CUDA_MEMCPY3D,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        let read = unsafe { read_in(copy) }?;
        self.check_contexts([read.dst_context, read.src_context].map(as_handle))?;
        // SAFETY: the driver contract.
        unsafe { self.copy_3d(call, stream, copy, false) }
    }
}
