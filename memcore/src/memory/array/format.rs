//! What a channel of an array can be.

use crate::driver::ffi;

/// What a channel of a CUDA array holds (`CUarray_format`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArrayFormat {
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// A half-precision number, [`Half`](super::Half).
    F16,
    /// `f32`.
    F32,
}

impl ArrayFormat {
    /// Every format.
    pub const ALL: [Self; 8] = [Self::U8, Self::U16, Self::U32, Self::I8, Self::I16, Self::I32, Self::F16, Self::F32];

    /// The bytes of a channel.
    ///
    /// ```
    /// use memcore::memory::array::ArrayFormat;
    ///
    /// assert_eq!(ArrayFormat::F16.channel_size(), 2);
    /// ```
    #[must_use]
    pub const fn channel_size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
        }
    }

    /// The driver's number.
    #[must_use]
    pub const fn as_raw(self) -> u32 {
        match self {
            Self::U8 => ffi::ARRAY_FORMAT_U8,
            Self::U16 => ffi::ARRAY_FORMAT_U16,
            Self::U32 => ffi::ARRAY_FORMAT_U32,
            Self::I8 => ffi::ARRAY_FORMAT_I8,
            Self::I16 => ffi::ARRAY_FORMAT_I16,
            Self::I32 => ffi::ARRAY_FORMAT_I32,
            Self::F16 => ffi::ARRAY_FORMAT_F16,
            Self::F32 => ffi::ARRAY_FORMAT_F32,
        }
    }

    /// The format of this number, if it is one of these: the driver has others.
    ///
    /// ```
    /// use memcore::memory::array::ArrayFormat;
    ///
    /// assert_eq!(ArrayFormat::from_raw(0x20), Some(ArrayFormat::F32));
    /// assert_eq!(ArrayFormat::from_raw(0xb0), None); // `CU_AD_FORMAT_NV12`
    /// ```
    #[must_use]
    pub fn from_raw(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.as_raw() == number)
    }
}
