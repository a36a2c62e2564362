//! What the expansions of `#[derive(DeviceCopy)]` and `#[derive(DeviceLayout)]` call. Nothing here is public API.
//!
//! Three questions go to the compiler, all about the type as it is after every macro has run: is each field plain data
//! (`field`), is the type `Copy` (`copy`), and do the fields make up the whole type (`layout`; for a struct with
//! parameters, `generic`). Types are inferred from functions that take a field out of the struct, never from the tokens
//! that the derive has seen: an attribute below the derive may edit the struct, and a type macro may stand for another
//! type each time it is written. `check` looks at bytes that come back, and `describe` says how a type is laid out.
//!
//! The traits that answer are `unsafe`, so that no safe program answers for its own types.

#![allow(clippy::unused_self, reason = "the type that a function is called on is all that matters here")]

mod check;
mod copy;
mod describe;
mod field;
mod generic;
mod layout;
pub(crate) mod path;
mod text;
mod unfit;

pub use core::{
    marker::{Copy, Sized},
    mem::{offset_of, size_of},
    primitive::{bool, f32, f64, i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize},
};
pub use std::string::String;

pub use self::{
    check::{Bits, CheckedData, Dimensions, Elements, Peel, Place, place},
    copy::{CopyData, DeviceData, VerifyCopy, Whole, verify_copy, verify_device_copy, whole},
    describe::{
        Describe, argument, c_name, enumeration, generic_structure, instance_name, no_layout, no_pointee, structure,
        union, union_pointee,
    },
    field::{Classify, Fit, PlainData, Probe, Types, probe, probe_put},
    generic::{Holds, HoldsNothing, NeverAField, NotPhantom, SameAs},
    layout::{Field, Layout, fills_union, is_its_integer, no_gap_after, no_other_gap},
    unfit::{Checked, Unfit},
};
