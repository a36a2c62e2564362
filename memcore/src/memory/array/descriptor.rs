//! What the driver says of an array.

use super::format::ArrayFormat;
use super::shape::ArrayShape;
use crate::driver::ffi::CUDA_ARRAY3D_DESCRIPTOR;
use crate::error::Result;

/// What an array is, as the driver has it (`CUDA_ARRAY3D_DESCRIPTOR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayDescriptor {
    shape: ArrayShape,
    format: ArrayFormat,
    channels: u32,
}

impl ArrayDescriptor {
    pub(super) const fn new(shape: ArrayShape, format: ArrayFormat, channels: u32) -> Self {
        Self { shape, format, channels }
    }

    /// Kind, extents and flags.
    #[must_use]
    pub const fn shape(&self) -> ArrayShape {
        self.shape
    }

    /// What each channel is.
    #[must_use]
    pub const fn format(&self) -> ArrayFormat {
        self.format
    }

    /// How many channels an element has: 1, 2 or 4.
    #[must_use]
    pub const fn channels(&self) -> u32 {
        self.channels
    }

    /// The bytes of an element.
    #[must_use]
    pub const fn element_size(&self) -> usize {
        self.format.channel_size() * self.channels as usize
    }

    /// The bytes of all elements, without what the driver's layout adds; `usize::MAX` where that is less.
    #[must_use]
    pub fn size_in_bytes(&self) -> usize {
        self.shape.len().saturating_mul(self.element_size())
    }

    pub(super) fn raw(&self) -> Result<CUDA_ARRAY3D_DESCRIPTOR> {
        let ([width, height, depth], flags) = self.shape.raw()?;
        let (format, channels) = (self.format.as_raw(), self.channels);
        Ok(CUDA_ARRAY3D_DESCRIPTOR { width, height, depth, format, channels, flags })
    }

    /// `None` for an array that memcore knows no such of: of another format, or with other flags.
    pub(super) fn from_raw(raw: &CUDA_ARRAY3D_DESCRIPTOR) -> Option<Self> {
        let shape = ArrayShape::from_raw([raw.width, raw.height, raw.depth], raw.flags)?;
        Some(Self { shape, format: ArrayFormat::from_raw(raw.format)?, channels: raw.channels })
    }
}
