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

#[allow(non_camel_case_types, non_snake_case)]
mod as_in_c {
    #[derive(Clone, Copy, Debug, memcore::DeviceCopy)]
    #[repr(C)]
    pub(crate) struct some_record_t {
        pub(crate) wValue: u32,
    }
}

fn accepts<T: DeviceCopy>() {}

fn main() {
    accepts::<Named>();
    accepts::<Packed>();
    accepts::<Aged>();
    accepts::<as_in_c::some_record_t>();
}
