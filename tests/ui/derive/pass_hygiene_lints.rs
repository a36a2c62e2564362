//! The lints of a strict crate find nothing in an expansion.
#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    nonstandard_style,
    rust_2018_idioms,
    single_use_lifetimes,
    trivial_bounds,
    trivial_casts,
    unreachable_pub,
    unused,
    unused_lifetimes,
    unused_qualifications,
    unused_results,
    clippy::all,
    clippy::nursery,
    clippy::pedantic
)]

use memcore::DeviceCopy;

/// Named fields.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(C)]
pub struct Named {
    /// A key.
    pub r#type: u32,
    /// Some bytes.
    pub bytes: [u8; 4],
}

/// Packed.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(C, packed)]
pub struct Packed {
    /// A key.
    pub key: u64,
    /// A kind.
    pub kind: u8,
}

/// A struct with a deprecated field.
#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
#[allow(missing_debug_implementations)]
pub struct Aged {
    /// A key.
    #[deprecated]
    pub key: u64,
}

/// An enum, one variant of which is deprecated.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(i16)]
pub enum Kind {
    /// The first.
    First = -1,
    /// The second.
    #[deprecated]
    Second,
}

/// Checked.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[device_copy(checked)]
#[repr(C)]
pub struct Checked {
    /// Flags.
    pub flags: [bool; 2],
    /// A kind.
    pub kind: Kind,
}

/// A union.
#[derive(Clone, Copy, DeviceCopy)]
#[repr(C)]
#[allow(missing_debug_implementations)]
pub union Bits {
    /// A number.
    pub number: f32,
    /// Its bits.
    pub integer: u32,
}

/// Of one type.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(C)]
#[allow(clippy::type_repetition_in_bounds)]
pub struct Pair<T: Copy, const N: usize>
where
    T: Send,
{
    /// The first.
    pub first: T,
    /// The others.
    pub others: [T; N],
    /// Nothing.
    pub marker: std::marker::PhantomData<Bits>,
}

/// Of two types.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[device_copy(instances(Mixed<f32, u32>))]
#[repr(C)]
pub struct Mixed<T, U> {
    /// The first.
    pub first: T,
    /// The second.
    pub second: U,
}

/// Nothing.
#[derive(Clone, Copy, Debug, DeviceCopy)]
#[repr(C)]
pub struct Unit;

#[allow(non_camel_case_types, non_snake_case, clippy::redundant_pub_crate)]
mod as_in_c {
    #[derive(Clone, Copy, Debug, memcore::DeviceCopy)]
    #[repr(C)]
    pub(crate) struct some_record_t {
        pub(crate) wValue: u32,
    }
}

const fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Named>();
    accepts::<Packed>();
    accepts::<Aged>();
    accepts::<Kind>();
    accepts::<Checked>();
    accepts::<Bits>();
    accepts::<Pair<f32, 3>>();
    accepts::<Mixed<f32, u32>>();
    accepts::<Unit>();
    accepts::<as_in_c::some_record_t>();
}
