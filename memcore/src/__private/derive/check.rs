//! Are bytes that came back the bytes of a value?

use core::{fmt, marker::PhantomData};

use bytemuck::{AnyBitPattern, CheckedBitPattern, NoUninit, Zeroable};

use super::{
    field::{Fit, Probe},
    path,
};

/// The bytes of an `S`, whatever they are: of its size, which is `N`, and of its alignment.
///
/// A field lies in them where it lies in the `S`.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Bits<S, const N: usize> {
    alignment: [S; 0],
    bytes: [u8; N],
}

// SAFETY: bytes, any of which may be 0; no `S` is among them.
unsafe impl<S, const N: usize> Zeroable for Bits<S, N> {}
// SAFETY: bytes, any of which may have any value; no `S` is among them.
unsafe impl<S: Copy + 'static, const N: usize> AnyBitPattern for Bits<S, N> {}

impl<S, const N: usize> fmt::Debug for Bits<S, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Bits").field(&self.bytes).finish()
    }
}

/// Where a field lies in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    bytes: &'a [u8],
    name: &'static str,
}

/// The place of the field `name`, which is `offset` bytes into its struct.
pub fn place<'a, S, const N: usize>(bits: &'a Bits<S, N>, offset: usize, name: &'static str) -> Place<'a> {
    Place { bytes: &bits.bytes[offset..], name }
}

/// Data without padding of which some bit patterns are no values, and which can tell.
///
/// # Safety
///
/// Implemented for every type with `NoUninit` and `CheckedBitPattern`, and for no other.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device data, as every field must be",
    label = "not device data",
    note = "if it is a type of your own, put `#[derive(Clone, Copy, DeviceCopy)]` above it, and `#[repr(C)]` above a \
            struct or `#[repr(u32)]` above an enum",
    note = "if it comes from another crate, look there for a feature named `bytemuck`"
)]
pub unsafe trait CheckedData: CheckedBitPattern + NoUninit {}

#[diagnostic::do_not_recommend]
// SAFETY: it has both traits.
unsafe impl<T: CheckedBitPattern + NoUninit> CheckedData for T {}

/// The lengths of arrays around an element, from the outside in; those beyond the room are multiplied into the last.
#[derive(Clone, Copy, Debug)]
pub struct Dimensions {
    lengths: [usize; 4],
    depth: usize,
}

impl Dimensions {
    const NONE: Self = Self { lengths: [1; 4], depth: 0 };

    const fn with(mut self, length: usize) -> Self {
        if self.depth < self.lengths.len() {
            self.lengths[self.depth] = length;
            self.depth += 1;
        } else {
            self.lengths[self.depth - 1] *= length;
        }
        self
    }

    fn count(&self) -> usize {
        self.lengths.iter().product()
    }

    /// `[2][0]`, of the element that is `index` from the first.
    fn subscripts(&self, mut index: usize) -> String {
        let mut text = String::new();
        for length in self.lengths[..self.depth].iter().rev() {
            text.insert_str(0, &format!("[{}]", index % length));
            index /= length;
        }
        text
    }
}

/// Stands for a field of the struct `S`, or for the elements of arrays in it, of type `T`.
#[derive(Debug)]
pub struct Elements<S, T> {
    dimensions: Dimensions,
    types: PhantomData<fn(S) -> T>,
}

impl<S, T> Clone for Elements<S, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S, T> Copy for Elements<S, T> {}

impl<S, T> Probe<S, T> {
    /// The field as one element.
    #[must_use]
    pub fn memcore_elements(self) -> Elements<S, T> {
        Elements { dimensions: Dimensions::NONE, types: PhantomData }
    }
}

impl<S, T, const N: usize> Elements<S, [T; N]> {
    /// The elements of the array.
    #[must_use]
    pub fn memcore_peel(self) -> Elements<S, T> {
        Elements { dimensions: self.dimensions.with(N), types: PhantomData }
    }
}

/// Finds no array.
pub trait Peel: Sized {
    /// The same.
    #[must_use]
    fn memcore_peel(self) -> Self {
        self
    }
}

impl<S, T> Peel for Elements<S, T> {}

impl Fit {
    /// Whether the bytes of the field are those of a value.
    #[must_use]
    pub fn check<S, T: CheckedData>(self, elements: Elements<S, T>, place: Place<'_>) -> bool {
        elements.are_valid(place)
    }
}

impl<S, T: CheckedData> Elements<S, T> {
    /// Whether the bytes of every element are those of a value.
    pub(super) fn are_valid(self, place: Place<'_>) -> bool {
        let size = size_of::<T::Bits>();
        let is_valid = |index: &usize| {
            let bits = bytemuck::pod_read_unaligned(&place.bytes[index * size..][..size]);
            T::is_valid_bit_pattern(&bits)
        };
        // By index, not by chunk: a type without bytes has values too.
        let invalid = (0..self.dimensions.count()).find(|index| !is_valid(index));
        if let Some(index) = invalid {
            path::came_through(|| format!("{}{}", place.name, self.dimensions.subscripts(index)));
        }
        invalid.is_none()
    }
}
