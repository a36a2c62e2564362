//! Copies of rows, from one pitched place, or array, to another.

use core::ffi::c_void;
use core::ptr;

use super::issue::Writes;
use crate::driver::ffi::{
    CUDA_MEMCPY2D, CUDA_MEMCPY3D, CUarray, CUcontext, CUdeviceptr, CUstream, MAX_PITCH, MEMORY_TYPE_ARRAY,
    MEMORY_TYPE_DEVICE, MEMORY_TYPE_HOST,
};
use crate::driver::{Driver, check, symbol};
use crate::error::{Error, Result};

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
    /// Of which nothing has an address: what counts are the byte, the row and the slice.
    Array {
        array: CUarray,
        /// Whether its slices are layers or faces.
        has_layers: bool,
        at: [usize; 3],
    },
}

impl Memory {
    const fn kind(self) -> u32 {
        match self {
            Self::Host(_) => MEMORY_TYPE_HOST,
            Self::Device(_) => MEMORY_TYPE_DEVICE,
            Self::Array { .. } => MEMORY_TYPE_ARRAY,
        }
    }

    pub(super) const fn host(self) -> *mut c_void {
        match self {
            Self::Host(pointer) => pointer,
            Self::Device(_) | Self::Array { .. } => ptr::null_mut(),
        }
    }

    /// 0 for what is no device memory.
    pub(super) const fn device(self) -> CUdeviceptr {
        match self {
            Self::Host(_) | Self::Array { .. } => 0,
            Self::Device(address) => address,
        }
    }

    const fn array(self) -> CUarray {
        match self {
            Self::Host(_) | Self::Device(_) => ptr::null_mut(),
            Self::Array { array, .. } => array,
        }
    }

    /// Whether it is an array of layers or faces. Of a copy from one to another of the same array a driver (580.159.04) took
    /// the source's from the destination, and said nothing (`scripts/probes/layers.py`).
    pub(super) const fn has_layers(self) -> bool {
        matches!(self, Self::Array { has_layers: true, .. })
    }

    /// The byte, the row and the slice where it begins.
    const fn at(self) -> [usize; 3] {
        match self {
            // The address has them already.
            Self::Host(_) | Self::Device(_) => [0; 3],
            Self::Array { at, .. } => at,
        }
    }
}

impl Place {
    /// The place so many rows and slices further on.
    pub(super) fn on(self, rows: usize, slices: usize) -> Self {
        self.at(0, rows, slices)
    }

    /// The place so many bytes, rows and slices further on.
    pub(super) fn at(self, column: usize, rows: usize, slices: usize) -> Self {
        let bytes = (slices * self.height + rows) * self.pitch + column;
        let memory = match self.memory {
            Memory::Host(pointer) => Memory::Host(pointer.wrapping_byte_add(bytes)),
            Memory::Device(address) => Memory::Device(address + bytes as u64),
            Memory::Array { array, has_layers, at: [x, y, z] } => {
                Memory::Array { array, has_layers, at: [x + column, y + rows, z + slices] }
            }
        };
        Self { memory, ..self }
    }

    /// The same place for an extent, which is not empty: of a single row the pitch does not matter, nor of a single slice
    /// the height, and both have limits.
    const fn of(self, extent: Extent) -> Self {
        let pitch = if extent.rows == 1 && extent.slices == 1 { extent.width } else { self.pitch };
        let height = if extent.slices == 1 { extent.rows } else { self.height };
        Self { pitch, height, ..self }
    }

    /// Refuses rows that lie further apart than the driver takes.
    pub(super) fn check_pitch(self, extent: Extent) -> Result<()> {
        let is_array = matches!(self.memory, Memory::Array { .. });
        if is_array || self.of(extent).pitch <= MAX_PITCH || extent.rows * extent.slices == 1 {
            return Ok(());
        }
        Err(Error::Unsupported { what: "memory in rows more than 2147483647 bytes apart" })
    }

    /// What writes of the extent, which is not empty, write.
    pub(super) const fn writes(&self, extent: Extent) -> Writes {
        match self.memory {
            Memory::Host(start) => Writes::Host { start, bytes: extent.reach(self) },
            Memory::Device(dst) => Writes::Device { dst },
            Memory::Array { .. } => Writes::Array,
        }
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
    /// Bytes that are copied.
    pub(super) const fn bytes(self) -> usize {
        self.width * self.rows * self.slices
    }

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
    /// Queues it: as one call, 2-D where there is one slice, which of an array is the first.
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
        let [to, from] = [self.to, self.from].map(|place| place.memory.at()[2]);
        if to != from && self.to.memory.has_layers() && self.to.memory.array() == self.from.memory.array() {
            return Err(Error::Unsupported { what: "a copy from layer to layer of one array" });
        }
        if self.extent.slices == 1 && (to, from) == (0, 0) {
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
        let (to, from) = (self.to.of(self.extent), self.from.of(self.extent));
        let ([dst_x_in_bytes, dst_y, _], [src_x_in_bytes, src_y, _]) = (to.memory.at(), from.memory.at());
        CUDA_MEMCPY2D {
            src_x_in_bytes,
            src_y,
            src_memory_type: from.memory.kind(),
            src_host: from.memory.host(),
            src_device: from.memory.device(),
            src_array: from.memory.array(),
            src_pitch: from.pitch,
            dst_x_in_bytes,
            dst_y,
            dst_memory_type: to.memory.kind(),
            dst_host: to.memory.host(),
            dst_device: to.memory.device(),
            dst_array: to.memory.array(),
            dst_pitch: to.pitch,
            width_in_bytes: self.extent.width,
            height: self.extent.rows,
        }
    }

    /// With the contexts of the destination and the source, where they differ.
    const fn in_3d(&self, [to_context, from_context]: [*mut c_void; 2]) -> CUDA_MEMCPY3D {
        let (to, from) = (self.to.of(self.extent), self.from.of(self.extent));
        let ([dst_x_in_bytes, dst_y, dst_z], [src_x_in_bytes, src_y, src_z]) = (to.memory.at(), from.memory.at());
        CUDA_MEMCPY3D {
            src_x_in_bytes,
            src_y,
            src_z,
            src_lod: 0,
            src_memory_type: from.memory.kind(),
            src_host: from.memory.host(),
            src_device: from.memory.device(),
            src_array: from.memory.array(),
            src_context: from_context,
            src_pitch: from.pitch,
            src_height: from.height,
            dst_x_in_bytes,
            dst_y,
            dst_z,
            dst_lod: 0,
            dst_memory_type: to.memory.kind(),
            dst_host: to.memory.host(),
            dst_device: to.memory.device(),
            dst_array: to.memory.array(),
            dst_context: to_context,
            dst_pitch: to.pitch,
            dst_height: to.height,
            width_in_bytes: self.extent.width,
            height: self.extent.rows,
            depth: self.extent.slices,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Extent, MAX_PITCH, Memory, Place};
    use crate::error::Error;

    #[test]
    fn limits_of_pitch_and_height_count_where_there_are_several() {
        let far = Place { memory: Memory::Device(0), pitch: MAX_PITCH + 1, height: usize::MAX };
        let one_row = Extent { width: 4, rows: 1, slices: 1 };
        assert_eq!((far.of(one_row).pitch, far.of(one_row).height, far.check_pitch(one_row)), (4, 1, Ok(())));
        let two_rows = Extent { rows: 2, ..one_row };
        let refused = Err(Error::Unsupported { what: "memory in rows more than 2147483647 bytes apart" });
        assert_eq!((far.of(two_rows).height, far.check_pitch(two_rows)), (2, refused.clone()));
        let two_slices = Extent { slices: 2, ..one_row };
        assert_eq!(Place { height: 1, ..far }.check_pitch(two_slices), refused);
        assert_eq!(Place { pitch: MAX_PITCH, ..far }.check_pitch(two_rows), Ok(()));
    }
}
