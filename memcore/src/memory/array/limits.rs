//! How large a device lets arrays be.

use super::shape::{ArrayFlags, ArrayKind, ArrayShape};
use crate::device::{Device, DeviceAttribute};
use crate::error::{Error, Status};

/// The attributes that limit slices, rows and columns, by number; 0 for what such arrays do not have.
type Attributes = [u32; 3];

const fn attributes(kind: ArrayKind, flags: ArrayFlags) -> Attributes {
    let (texture, surface): (Attributes, Attributes) = match kind {
        ArrayKind::D1 => ([0, 0, 21], [0, 0, 55]),
        ArrayKind::D2 => ([0, 23, 22], [0, 57, 56]),
        ArrayKind::D3 => ([26, 25, 24], [60, 59, 58]),
        ArrayKind::LayeredD1 => ([43, 0, 42], [62, 0, 61]),
        ArrayKind::LayeredD2 => ([29, 28, 27], [65, 64, 63]),
        ArrayKind::Cubemap => ([0, 52, 52], [0, 66, 66]),
        ArrayKind::LayeredCubemap => ([54, 53, 53], [68, 67, 67]),
    };
    if flags.contains(ArrayFlags::TEXTURE_GATHER) {
        [0, 46, 45]
    } else if flags.contains(ArrayFlags::SURFACE_LOAD_STORE) {
        surface
    } else {
        texture
    }
}

const AXES: [&str; 3] = ["slices", "rows", "columns"];

/// The extent of a shape that no array has, or none of this device, or why that could not be found out; `None` where no
/// extent is wrong.
pub(super) fn wrong_extent(device: &Device, shape: &ArrayShape) -> Option<Error> {
    let attributes = attributes(shape.kind(), shape.flags());
    for ((axis, extent), number) in AXES.into_iter().zip(shape.extents()).zip(attributes) {
        // What such an array does not have is there once; the six faces of a cubemap are of its shape.
        if number == 0 {
            continue;
        }
        let most = match device.attribute(DeviceAttribute(number)) {
            Ok(limit) => usize::try_from(limit).unwrap_or(0),
            // A driver that does not know the question: the driver's own numbers are of 32 bits.
            Err(Error::Driver { status: Status::INVALID_VALUE, .. }) => i32::MAX as usize,
            Err(error) => return Some(error),
        };
        if extent == 0 || extent > most {
            return Some(Error::ArrayExtent { kind: shape.kind(), axis, extent, most });
        }
    }
    None
}

/// Whether an extent is one that no array has: the driver looks at 32 bits of it alone.
pub(super) fn is_beyond_all(shape: &ArrayShape) -> bool {
    shape.extents().iter().any(|extent| *extent == 0 || *extent > i32::MAX as usize)
}
