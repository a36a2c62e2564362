//! Copies of rows, from one pitched place to another.

use core::ffi::c_void;
use core::ptr;

use crate::driver::ffi::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUcontext, CUdeviceptr, CUstream, MEMORY_TYPE_DEVICE, MEMORY_TYPE_HOST,
};
use crate::driver::{Driver, check, symbol};
use crate::error::Result;

/// Where rows lie: the first begins at the place itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) memory: Memory,
    /// Bytes from one row to the next, at least a row's.
    pub(crate) pitch: usize,
    /// Rows from one slice to the next, at least a slice's.
    pub(crate) height: usize,
}

/// Memory as the driver names it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Memory {
    /// Page-locked, unified or pageable.
    Host(*mut c_void),
    Device(CUdeviceptr),
}

impl Memory {
    const fn kind(self) -> u32 {
        match self {
            Self::Host(_) => MEMORY_TYPE_HOST,
            Self::Device(_) => MEMORY_TYPE_DEVICE,
        }
    }

    const fn host(self) -> *mut c_void {
        match self {
            Self::Host(pointer) => pointer,
            Self::Device(_) => ptr::null_mut(),
        }
    }

    const fn device(self) -> CUdeviceptr {
        match self {
            Self::Host(_) => 0,
            Self::Device(address) => address,
        }
    }
}

impl Place {
    /// The place so many rows further on in the same slice.
    pub(super) fn rows_on(self, rows: usize) -> Self {
        self.bytes_on(rows * self.pitch)
    }

    /// The place so many slices further on.
    pub(super) fn slices_on(self, slices: usize) -> Self {
        self.bytes_on(slices * self.height * self.pitch)
    }

    fn bytes_on(self, bytes: usize) -> Self {
        let memory = match self.memory {
            Memory::Host(pointer) => Memory::Host(pointer.wrapping_byte_add(bytes)),
            Memory::Device(address) => Memory::Device(address + bytes as u64),
        };
        Self { memory, ..self }
    }
}

/// How much is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// Bytes of a row.
    pub(crate) width: usize,
    /// Rows of a slice.
    pub(crate) rows: usize,
    pub(crate) slices: usize,
}

impl Extent {
    /// Whether there is nothing to copy.
    pub(crate) const fn is_empty(self) -> bool {
        self.width == 0 || self.rows == 0 || self.slices == 0
    }

    /// Bytes from the first row's start to the last one's end, in a place.
    pub(super) const fn reach(self, place: &Place) -> usize {
        ((self.slices - 1) * place.height + self.rows - 1) * place.pitch + self.width
    }
}

/// A copy of rows.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowCopy {
    pub(super) to: Place,
    pub(super) from: Place,
    pub(super) extent: Extent,
}

impl RowCopy {
    /// Queues it: as one call, 2-D where there is one slice.
    ///
    /// # Errors
    ///
    /// The driver's code; nothing is queued then.
    ///
    /// # Safety
    ///
    /// The rows of `from` are valid for reads and those of `to` for writes, by this operation alone until it is
    /// complete; they do not overlap. `stream` is alive and its context bound.
    #[track_caller]
    pub(super) unsafe fn queue(&self, driver: &dyn Driver, stream: CUstream) -> Result<()> {
        if self.extent.slices == 1 {
            let copy = self.in_2d();
            // SAFETY: the struct is read during the call; the caller's contract covers the rest.
            return check(symbol::memcpy_2d_async, unsafe { driver.memcpy_2d_async(&raw const copy, stream) });
        }
        let copy = self.in_3d([ptr::null_mut(); 2]);
        // SAFETY: the struct is read during the call; the caller's contract covers the rest.
        check(symbol::memcpy_3d_async, unsafe { driver.memcpy_3d_async(&raw const copy, stream) })
    }

    /// Queues it between the memory of two contexts.
    ///
    /// # Errors
    ///
    /// As [`queue`](Self::queue).
    ///
    /// # Safety
    ///
    /// As [`queue`](Self::queue); the contexts, of the destination and the source, are open.
    #[track_caller]
    pub(super) unsafe fn queue_peer(
        &self,
        driver: &dyn Driver,
        contexts: [CUcontext; 2],
        stream: CUstream,
    ) -> Result<()> {
        let copy = self.in_3d(contexts.map(<*mut _>::cast));
        // SAFETY: the struct is read during the call; the caller's contract covers the rest.
        check(symbol::memcpy_3d_peer_async, unsafe { driver.memcpy_3d_peer_async(&raw const copy, stream) })
    }

    const fn in_2d(&self) -> CUDA_MEMCPY2D {
        let (to, from) = (self.to, self.from);
        CUDA_MEMCPY2D {
            src_x_in_bytes: 0,
            src_y: 0,
            src_memory_type: from.memory.kind(),
            src_host: from.memory.host(),
            src_device: from.memory.device(),
            src_array: ptr::null_mut(),
            src_pitch: from.pitch,
            dst_x_in_bytes: 0,
            dst_y: 0,
            dst_memory_type: to.memory.kind(),
            dst_host: to.memory.host(),
            dst_device: to.memory.device(),
            dst_array: ptr::null_mut(),
            dst_pitch: to.pitch,
            width_in_bytes: self.extent.width,
            height: self.extent.rows,
        }
    }

    /// With the contexts of the destination and the source, where they differ.
    const fn in_3d(&self, [to_context, from_context]: [*mut c_void; 2]) -> CUDA_MEMCPY3D {
        let (to, from) = (self.to, self.from);
        CUDA_MEMCPY3D {
            src_x_in_bytes: 0,
            src_y: 0,
            src_z: 0,
            src_lod: 0,
            src_memory_type: from.memory.kind(),
            src_host: from.memory.host(),
            src_device: from.memory.device(),
            src_array: ptr::null_mut(),
            src_context: from_context,
            src_pitch: from.pitch,
            src_height: from.height,
            dst_x_in_bytes: 0,
            dst_y: 0,
            dst_z: 0,
            dst_lod: 0,
            dst_memory_type: to.memory.kind(),
            dst_host: to.memory.host(),
            dst_device: to.memory.device(),
            dst_array: ptr::null_mut(),
            dst_context: to_context,
            dst_pitch: to.pitch,
            dst_height: to.height,
            width_in_bytes: self.extent.width,
            height: self.extent.rows,
            depth: self.extent.slices,
        }
    }
}
