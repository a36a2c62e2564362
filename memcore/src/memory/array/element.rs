//! What an element of an array can be.

use bytemuck::{AnyBitPattern, Pod, Zeroable};

use super::format::ArrayFormat;
use crate::memory::DeviceCopy;

/// Types that are elements of a CUDA array: a [`Channel`], or an array of 1, 2 or 4 of one.
///
/// It may be implemented for a plain struct of as many bytes, as `#[repr(C)] struct Rgba { r: u8, g: u8, b: u8, a: u8 }`. A
/// size that is another than the format and the channels say does not compile where an array is made.
///
/// ```
/// use memcore::memory::array::{ArrayElement, ArrayFormat};
/// use memcore::prelude::*;
///
/// #[derive(Clone, Copy, DeviceCopy)]
/// #[repr(C)]
/// struct Rgba {
///     r: u8,
///     g: u8,
///     b: u8,
///     a: u8,
/// }
///
/// impl ArrayElement for Rgba {
///     const FORMAT: ArrayFormat = ArrayFormat::U8;
///     const CHANNELS: u32 = 4;
/// }
///
/// let image = ArrayObject::<Rgba>::zeroed([16, 16])?;
/// assert_eq!(image.descriptor()?.channels(), 4);
/// # Ok::<(), memcore::Error>(())
/// ```
///
/// ```compile_fail,E0080
/// # use memcore::memory::array::{ArrayElement, ArrayFormat};
/// # use memcore::prelude::*;
/// #[derive(Clone, Copy, DeviceCopy)]
/// #[repr(C)]
/// struct Rgb {
///     r: u8,
///     g: u8,
///     b: u8,
/// }
///
/// impl ArrayElement for Rgb {
///     const FORMAT: ArrayFormat = ArrayFormat::U8;
///     const CHANNELS: u32 = 4;
/// }
///
/// let image = ArrayObject::<Rgb>::zeroed([16, 16])?; // has 3 bytes
/// # Ok::<(), memcore::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an element of a CUDA array",
    label = "neither a channel nor an array of 1, 2 or 4 channels",
    note = "channels are `u8`, `u16`, `u32`, `i8`, `i16`, `i32`, `f32` and `Half`: a texture has no 64-bit ones",
    note = "an element has 1, 2 or 4 of them, `[f32; 4]` in place of `[f32; 3]`",
    note = "for a struct of as many bytes, implement `ArrayElement`"
)]
pub trait ArrayElement: DeviceCopy + AnyBitPattern {
    /// What each channel is.
    const FORMAT: ArrayFormat;
    /// How many channels there are: 1, 2 or 4.
    const CHANNELS: u32;
}

/// Types that are one channel of an element. Sealed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a channel of a CUDA array",
    label = "no format of a channel",
    note = "channels are `u8`, `u16`, `u32`, `i8`, `i16`, `i32`, `f32` and `Half`: a texture has no 64-bit ones"
)]
pub trait Channel: ArrayElement + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

macro_rules! channels {
    ($($type:ty: $format:ident),*) => {$(
        impl sealed::Sealed for $type {}
        impl Channel for $type {}
        impl ArrayElement for $type {
            const FORMAT: ArrayFormat = ArrayFormat::$format;
            const CHANNELS: u32 = 1;
        }
    )*};
}

channels!(u8: U8, u16: U16, u32: U32, i8: I8, i16: I16, i32: I32, Half: F16, f32: F32);

macro_rules! elements {
    ($($count:literal),*) => {$(
        impl<T: Channel> ArrayElement for [T; $count]
        where
            [T; $count]: DeviceCopy + AnyBitPattern,
        {
            const FORMAT: ArrayFormat = T::FORMAT;
            const CHANNELS: u32 = $count;
        }
    )*};
}

elements!(1, 2, 4);

/// The bits of a half-precision number (IEEE 754 binary16), for arrays of [`ArrayFormat::F16`].
///
/// It has the layout of the half-precision types of other crates, whose slices `memcore::bytemuck::cast_slice` makes slices
/// of this.
///
/// ```
/// use memcore::memory::array::Half;
///
/// let halves: &[Half] = memcore::bytemuck::cast_slice(&[0x3c00_u16, 0xc000]); // 1 and -2
/// assert_eq!(halves[1], Half::from_bits(0xc000));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Half(u16);

// SAFETY: a `u16`, of which all zeros are a value.
unsafe impl Zeroable for Half {}
// SAFETY: transparent over a `u16`, so without padding, and any bits are a value.
unsafe impl Pod for Half {}

impl Half {
    /// The number of these bits.
    #[must_use]
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Its bits.
    #[must_use]
    pub const fn to_bits(self) -> u16 {
        self.0
    }
}

/// Refuses, when it is compiled, an element whose size is another than its format and channels say.
pub(super) const fn assert_layout<T: ArrayElement>() {
    assert!(matches!(T::CHANNELS, 1 | 2 | 4), "an element of a CUDA array has 1, 2 or 4 channels");
    assert!(
        size_of::<T>() == T::FORMAT.channel_size() * T::CHANNELS as usize,
        "an element of a CUDA array has as many bytes as its channels"
    );
}
