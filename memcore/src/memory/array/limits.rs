//! How large a device lets arrays be.

use super::shape::{ArrayFlags, ArrayKind, ArrayShape};
use crate::device::{Device, DeviceAttribute as Attribute};
use crate::error::{Error, Status};

/// What limits slices, rows and columns; `None` for what such arrays do not have.
type Attributes = [Option<Attribute>; 3];

const fn attributes(kind: ArrayKind, flags: ArrayFlags) -> Attributes {
    let (texture, surface): (Attributes, Attributes) = match kind {
        ArrayKind::D1 => (
            [None, None, Some(Attribute::MAXIMUM_TEXTURE1D_WIDTH)],
            [None, None, Some(Attribute::MAXIMUM_SURFACE1D_WIDTH)],
        ),
        ArrayKind::D2 => (
            [None, Some(Attribute::MAXIMUM_TEXTURE2D_HEIGHT), Some(Attribute::MAXIMUM_TEXTURE2D_WIDTH)],
            [None, Some(Attribute::MAXIMUM_SURFACE2D_HEIGHT), Some(Attribute::MAXIMUM_SURFACE2D_WIDTH)],
        ),
        ArrayKind::D3 => (
            [
                Some(Attribute::MAXIMUM_TEXTURE3D_DEPTH),
                Some(Attribute::MAXIMUM_TEXTURE3D_HEIGHT),
                Some(Attribute::MAXIMUM_TEXTURE3D_WIDTH),
            ],
            [
                Some(Attribute::MAXIMUM_SURFACE3D_DEPTH),
                Some(Attribute::MAXIMUM_SURFACE3D_HEIGHT),
                Some(Attribute::MAXIMUM_SURFACE3D_WIDTH),
            ],
        ),
        ArrayKind::LayeredD1 => (
            [Some(Attribute::MAXIMUM_TEXTURE1D_LAYERED_LAYERS), None, Some(Attribute::MAXIMUM_TEXTURE1D_LAYERED_WIDTH)],
            [Some(Attribute::MAXIMUM_SURFACE1D_LAYERED_LAYERS), None, Some(Attribute::MAXIMUM_SURFACE1D_LAYERED_WIDTH)],
        ),
        ArrayKind::LayeredD2 => (
            [
                Some(Attribute::MAXIMUM_TEXTURE2D_LAYERED_LAYERS),
                Some(Attribute::MAXIMUM_TEXTURE2D_LAYERED_HEIGHT),
                Some(Attribute::MAXIMUM_TEXTURE2D_LAYERED_WIDTH),
            ],
            [
                Some(Attribute::MAXIMUM_SURFACE2D_LAYERED_LAYERS),
                Some(Attribute::MAXIMUM_SURFACE2D_LAYERED_HEIGHT),
                Some(Attribute::MAXIMUM_SURFACE2D_LAYERED_WIDTH),
            ],
        ),
        ArrayKind::Cubemap => (
            [None, Some(Attribute::MAXIMUM_TEXTURECUBEMAP_WIDTH), Some(Attribute::MAXIMUM_TEXTURECUBEMAP_WIDTH)],
            [None, Some(Attribute::MAXIMUM_SURFACECUBEMAP_WIDTH), Some(Attribute::MAXIMUM_SURFACECUBEMAP_WIDTH)],
        ),
        ArrayKind::LayeredCubemap => (
            [
                Some(Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS),
                Some(Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
                Some(Attribute::MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH),
            ],
            [
                Some(Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS),
                Some(Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH),
                Some(Attribute::MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH),
            ],
        ),
    };
    if flags.contains(ArrayFlags::TEXTURE_GATHER) {
        [None, Some(Attribute::MAXIMUM_TEXTURE2D_GATHER_HEIGHT), Some(Attribute::MAXIMUM_TEXTURE2D_GATHER_WIDTH)]
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
    let may_be_deep = shape.kind() == ArrayKind::D3 && !shape.flags().contains(ArrayFlags::SURFACE_LOAD_STORE);
    match beyond(device, shape, attributes(shape.kind(), shape.flags())) {
        Some(Error::ArrayExtent { axis: "slices", extent, .. }) if may_be_deep && extent > 0 => {
            beyond(device, shape, DEEP_VOLUME)
        }
        found => found,
    }
}

/// What limits 3-D arrays of the other proportions: fewer rows and columns, and more slices.
const DEEP_VOLUME: Attributes = [
    Some(Attribute::MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE),
    Some(Attribute::MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE),
    Some(Attribute::MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE),
];

fn beyond(device: &Device, shape: &ArrayShape, attributes: Attributes) -> Option<Error> {
    for ((axis, extent), attribute) in AXES.into_iter().zip(shape.extents()).zip(attributes) {
        // What such an array does not have is there once; the six faces of a cubemap are of its shape.
        let Some(attribute) = attribute else { continue };
        let most = match device.attribute(attribute) {
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
