//! What shapes arrays have.

use core::fmt;

use bitflags::bitflags;

use crate::driver::ffi;
use crate::error::{Error, Result};
use crate::memory::flags::bits_of;

bitflags! {
    /// What an array is for, beside being sampled as a texture.
    ///
    /// ```
    /// use memcore::memory::array::ArrayFlags;
    ///
    /// let both = ArrayFlags::SURFACE_LOAD_STORE | ArrayFlags::TEXTURE_GATHER;
    /// assert_eq!(ArrayFlags::all(), both);
    /// assert_eq!(ArrayFlags::from_bits(1), None); // layers and cubemaps are shapes
    /// ```
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct ArrayFlags: u32 {
        /// Kernels read and write it through surfaces (`CUDA_ARRAY3D_SURFACE_LDST`).
        const SURFACE_LOAD_STORE = ffi::ARRAY_SURFACE_LOAD_STORE;
        /// Kernels gather four elements at once (`CUDA_ARRAY3D_TEXTURE_GATHER`): of a 2-D array alone.
        const TEXTURE_GATHER = ffi::ARRAY_TEXTURE_GATHER;
    }
}

/// The kinds of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArrayKind {
    /// A row.
    D1,
    /// Rows.
    D2,
    /// Slices of rows, between which textures interpolate.
    D3,
    /// Layers of one row each.
    LayeredD1,
    /// Layers of rows.
    LayeredD2,
    /// Six square faces.
    Cubemap,
    /// Layers of six square faces each.
    LayeredCubemap,
}

/// `a 2-D array`, `a cubemap`, and so on.
impl fmt::Display for ArrayKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::D1 => "a 1-D array",
            Self::D2 => "a 2-D array",
            Self::D3 => "a 3-D array",
            Self::LayeredD1 => "a layered 1-D array",
            Self::LayeredD2 => "a layered 2-D array",
            Self::Cubemap => "a cubemap",
            Self::LayeredCubemap => "a layered cubemap",
        })
    }
}

impl ArrayKind {
    /// Whether its slices are layers or faces.
    pub(super) const fn has_layers(self) -> bool {
        !matches!(self, Self::D1 | Self::D2 | Self::D3)
    }

    const fn flags(self) -> u32 {
        match self {
            Self::D1 | Self::D2 | Self::D3 => 0,
            Self::LayeredD1 | Self::LayeredD2 => ffi::ARRAY_LAYERED,
            Self::Cubemap => ffi::ARRAY_CUBEMAP,
            Self::LayeredCubemap => ffi::ARRAY_CUBEMAP | ffi::ARRAY_LAYERED,
        }
    }
}

/// The kind of an array, its extents, and what it is for.
///
/// Extents go from the slowest axis to the fastest and count elements, as those of [views](crate::memory) do. A number, two
/// and three are shapes too, of 1-D, 2-D and 3-D arrays.
///
/// ```
/// use memcore::memory::array::{ArrayKind, ArrayShape};
///
/// let cubes = ArrayShape::new_layered_cubemap(2, 64);
/// assert_eq!(cubes.extents(), [12, 64, 64]);
/// assert_eq!(ArrayShape::from([480, 640]).kind(), ArrayKind::D2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ArrayShape {
    kind: ArrayKind,
    extents: [usize; 3],
    flags: ArrayFlags,
}

/// A cubemap's.
const FACES: usize = 6;

impl ArrayShape {
    const fn new(kind: ArrayKind, extents: [usize; 3]) -> Self {
        Self { kind, extents, flags: ArrayFlags::empty() }
    }

    /// A row of `width` elements.
    #[must_use]
    pub const fn new_1d(width: usize) -> Self {
        Self::new(ArrayKind::D1, [1, 1, width])
    }

    /// `[rows, columns]`.
    #[must_use]
    pub const fn new_2d([rows, columns]: [usize; 2]) -> Self {
        Self::new(ArrayKind::D2, [1, rows, columns])
    }

    /// `[slices, rows, columns]`.
    #[must_use]
    pub const fn new_3d(extents: [usize; 3]) -> Self {
        Self::new(ArrayKind::D3, extents)
    }

    /// `layers` rows of `width` elements, which are layers.
    #[must_use]
    pub const fn new_layered_1d(layers: usize, width: usize) -> Self {
        Self::new(ArrayKind::LayeredD1, [layers, 1, width])
    }

    /// `layers` layers of `[rows, columns]`.
    #[must_use]
    pub const fn new_layered_2d(layers: usize, [rows, columns]: [usize; 2]) -> Self {
        Self::new(ArrayKind::LayeredD2, [layers, rows, columns])
    }

    /// Six faces of `side` rows and columns, in the order +x, -x, +y, -y, +z, -z.
    #[must_use]
    pub const fn new_cubemap(side: usize) -> Self {
        Self::new(ArrayKind::Cubemap, [FACES, side, side])
    }

    /// `layers` cubemaps of six faces each. More faces than can be counted are as many as can be.
    #[must_use]
    pub const fn new_layered_cubemap(layers: usize, side: usize) -> Self {
        Self::new(ArrayKind::LayeredCubemap, [layers.saturating_mul(FACES), side, side])
    }

    /// The shape with these flags.
    #[must_use]
    pub const fn with_flags(self, flags: ArrayFlags) -> Self {
        Self { flags, ..self }
    }

    /// The kind.
    #[must_use]
    pub const fn kind(&self) -> ArrayKind {
        self.kind
    }

    /// `[slices, rows, columns]`; layers and faces are slices. What an array does not have is 1.
    #[must_use]
    pub const fn extents(&self) -> [usize; 3] {
        self.extents
    }

    /// The flags.
    #[must_use]
    pub const fn flags(&self) -> ArrayFlags {
        self.flags
    }

    /// The number of elements; `usize::MAX` where that is less than there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.extents.iter().try_fold(1_usize, |len, extent| len.checked_mul(*extent)).unwrap_or(usize::MAX)
    }

    /// Whether there are none. There is no such array.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.extents.contains(&0)
    }

    /// The driver's width, height, depth and flags.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownFlags`]; [`Error::Unsupported`] for flags that the kind does not have.
    pub(super) fn raw(&self) -> Result<([usize; 3], u32)> {
        let flags = bits_of(&self.flags, "an array")?;
        if self.flags.contains(ArrayFlags::TEXTURE_GATHER) && self.kind != ArrayKind::D2 {
            return Err(Error::Unsupported { what: "texture gather from an array that is not 2-D" });
        }
        let [slices, rows, width] = self.extents;
        let (height, depth) = match self.kind {
            ArrayKind::D1 => (0, 0),
            ArrayKind::D2 => (rows, 0),
            ArrayKind::LayeredD1 => (0, slices),
            ArrayKind::D3 | ArrayKind::LayeredD2 | ArrayKind::Cubemap | ArrayKind::LayeredCubemap => (rows, slices),
        };
        Ok(([width, height, depth], self.kind.flags() | flags))
    }

    /// The shape that the driver describes; `None` for what is none of these.
    pub(super) fn from_raw([width, height, depth]: [usize; 3], flags: u32) -> Option<Self> {
        const KINDS: u32 = ffi::ARRAY_LAYERED | ffi::ARRAY_CUBEMAP;
        const LAYERED_CUBEMAP: u32 = KINDS;

        let kind = match (flags & KINDS, height, depth) {
            (0, 0, 0) => ArrayKind::D1,
            (0, _, 0) => ArrayKind::D2,
            (0, _, _) => ArrayKind::D3,
            (ffi::ARRAY_LAYERED, 0, _) => ArrayKind::LayeredD1,
            (ffi::ARRAY_LAYERED, _, _) => ArrayKind::LayeredD2,
            (LAYERED_CUBEMAP, _, _) => ArrayKind::LayeredCubemap,
            _ => ArrayKind::Cubemap,
        };
        let flags = ArrayFlags::from_bits(flags & !KINDS)?;
        Some(Self { kind, extents: [depth.max(1), height.max(1), width], flags })
    }
}

/// A 1-D array's.
impl From<usize> for ArrayShape {
    fn from(width: usize) -> Self {
        Self::new_1d(width)
    }
}

/// A 2-D array's: rows and columns.
impl From<[usize; 2]> for ArrayShape {
    fn from(extents: [usize; 2]) -> Self {
        Self::new_2d(extents)
    }
}

/// A 3-D array's: slices, rows and columns.
impl From<[usize; 3]> for ArrayShape {
    fn from(extents: [usize; 3]) -> Self {
        Self::new_3d(extents)
    }
}
