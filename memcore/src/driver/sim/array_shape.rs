//! What CUDA arrays there can be, and where in one an element lies.
//!
//! The rules and the limits are those of an H200 (`scripts/probes/arrays.py`).

use super::call::Answer;
use super::rows::Rows;
use crate::driver::ffi::{
    ARRAY_CUBEMAP, ARRAY_FORMAT_F16, ARRAY_FORMAT_F32, ARRAY_FORMAT_I8, ARRAY_FORMAT_I16, ARRAY_FORMAT_I32,
    ARRAY_FORMAT_U8, ARRAY_FORMAT_U16, ARRAY_FORMAT_U32, ARRAY_LAYERED, ARRAY_SURFACE_LOAD_STORE, ARRAY_TEXTURE_GATHER,
    CUDA_ARRAY3D_DESCRIPTOR,
};
use crate::error::Status;

/// `CUDA_ARRAY3D_SPARSE`, `_DEFERRED_MAPPING` and `_VIDEO_ENCODE_DECODE`, which the driver has and the simulator has not.
const UNSIMULATED: u32 = 0x40 | 0x80 | 0x100;

/// Widths, heights and depths at most.
type Limits = [u32; 3];

const LINE: Limits = [131_072, 0, 0];
const SURFACE_LINE: Limits = [32_768, 0, 0];
const IMAGE: Limits = [131_072, 65_536, 0];
const GATHERED: Limits = [32_768, 32_768, 0];
const VOLUME: Limits = [16_384, 16_384, 16_384];
/// Instead of `VOLUME`, but not for surfaces.
const DEEP_VOLUME: Limits = [8_192, 8_192, 32_768];
const LAYERS: Limits = [32_768, 32_768, 2048];
const CUBES: Limits = [32_768, 32_768, 2046];

/// The attributes of a device that say how large an array may be, by the numbers of `CUdevice_attribute`.
#[allow(clippy::match_same_arms, reason = "a list by number")]
pub(super) const fn limit(attribute: u32) -> Option<i32> {
    let limit = match attribute {
        // Textures: 1-D, 2-D, 3-D, 2-D layered, 1-D layered, gathered, the other 3-D, cubemaps.
        21 => LINE[0],
        22 | 23 => IMAGE[attribute as usize - 22],
        24..=26 => VOLUME[attribute as usize - 24],
        27..=29 => LAYERS[attribute as usize - 27],
        42 => LAYERS[0],
        43 => LAYERS[2],
        45 | 46 => GATHERED[attribute as usize - 45],
        47..=49 => DEEP_VOLUME[attribute as usize - 47],
        52 | 53 => CUBES[0],
        54 => CUBES[2],
        // Surfaces: 1-D, 2-D, 3-D, 1-D layered, 2-D layered, cubemaps.
        55 => SURFACE_LINE[0],
        56 | 57 => IMAGE[attribute as usize - 56],
        58..=60 => VOLUME[attribute as usize - 58],
        61 => LAYERS[0],
        62 => LAYERS[2],
        63..=65 => LAYERS[attribute as usize - 63],
        66 | 67 => CUBES[0],
        68 => CUBES[2],
        // Whether textures can be gathered from.
        44 => 1,
        _ => return None,
    };
    Some(limit.cast_signed())
}

/// The bytes of a channel.
const fn channel_size(format: u32) -> Option<usize> {
    match format {
        ARRAY_FORMAT_U8 | ARRAY_FORMAT_I8 => Some(1),
        ARRAY_FORMAT_U16 | ARRAY_FORMAT_I16 | ARRAY_FORMAT_F16 => Some(2),
        ARRAY_FORMAT_U32 | ARRAY_FORMAT_I32 | ARRAY_FORMAT_F32 => Some(4),
        _ => None,
    }
}

/// The shape of an array that can be.
///
/// INVARIANT: its bytes are a number that fits an `isize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) descriptor: CUDA_ARRAY3D_DESCRIPTOR,
    /// The bytes of an element.
    element: usize,
}

impl Shape {
    /// What the driver makes of a descriptor.
    pub(super) fn new(descriptor: CUDA_ARRAY3D_DESCRIPTOR) -> Answer<Self> {
        let CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format, channels, flags } = descriptor;
        let channel = channel_size(format).filter(|_| matches!(channels, 1 | 2 | 4)).ok_or(Status::INVALID_VALUE)?;
        let extents = [width, height, depth];
        let fits = |limits: Limits| extents.iter().zip(limits).all(|(extent, limit)| *extent <= limit as usize);
        let is_surface = flags & ARRAY_SURFACE_LOAD_STORE != 0;
        let can_be = width > 0
            && match flags & !(ARRAY_SURFACE_LOAD_STORE | UNSIMULATED) {
                0 => match (height, depth) {
                    (0, 0) => fits(if is_surface { SURFACE_LINE } else { LINE }),
                    (0, _) => false,
                    (_, 0) => fits(IMAGE),
                    _ => fits(VOLUME) || (!is_surface && fits(DEEP_VOLUME)),
                },
                ARRAY_LAYERED => depth > 0 && fits(LAYERS),
                ARRAY_CUBEMAP => width == height && depth == 6 && fits(CUBES),
                LAYERED_CUBEMAP => width == height && depth > 0 && depth.is_multiple_of(6) && fits(CUBES),
                ARRAY_TEXTURE_GATHER => height > 0 && fits(GATHERED),
                _ => false,
            };
        if !can_be {
            return Err(Status::INVALID_VALUE);
        }
        if flags & UNSIMULATED != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        // INVARIANT: the limits are far below: a row is at most 2^21 bytes, a slice 2^16 rows, an array 2^15 slices.
        Ok(Self { descriptor, element: channel * channels as usize })
    }

    /// The bytes of a row.
    pub(super) const fn row(&self) -> usize {
        self.descriptor.width * self.element
    }

    /// How many rows a slice, layer or face has.
    pub(super) fn rows(&self) -> usize {
        self.descriptor.height.max(1)
    }

    /// How many slices, layers or faces there are.
    pub(super) fn slices(&self) -> usize {
        self.descriptor.depth.max(1)
    }

    /// All its bytes.
    pub(super) fn size(&self) -> usize {
        self.row() * self.rows() * self.slices()
    }

    /// So many bytes of so many rows of so many slices, from a byte, row and slice on; `None` where that reaches out of
    /// the array.
    pub(super) fn part(&self, begin: [usize; 3], shape: [usize; 3]) -> Option<Rows> {
        let extents = [self.row(), self.rows(), self.slices()];
        let mut inside = begin.iter().zip(&shape).zip(extents);
        let is_inside = inside.all(|((begin, len), extent)| begin.checked_add(*len).is_some_and(|end| end <= extent));
        let [x, y, z] = begin;
        let start = is_inside.then(|| (z * self.rows() + y) * self.row() + x)?;
        Rows::new(start as u64, shape.map(|len| len as u64), self.row() as u64, self.rows() as u64)
    }
}

const LAYERED_CUBEMAP: u32 = ARRAY_LAYERED | ARRAY_CUBEMAP;
