//! What the expansion of `#[derive(DeviceCopy)]` calls. Nothing here is public API.
//!
//! Three questions go to the compiler, all about the struct as it is after every macro has run: is each field plain
//! data (`field`), is the struct `Copy` (`copy`), and do the fields make up the whole struct (`layout`). Types are
//! inferred from functions that take a field out of the struct, never from the tokens that the derive has seen: an
//! attribute below the derive may edit the struct, and a type macro may stand for another type each time it is written.
//!
//! The traits that answer are `unsafe`, so that no safe program answers for its own types.

#![allow(clippy::unused_self, reason = "the type that a function is called on is all that matters here")]

mod copy;
mod field;
mod layout;
mod text;
mod unfit;

pub use core::{
    marker::{Copy, Sized},
    mem::offset_of,
};

pub use self::{
    copy::{CopyData, VerifyCopy, Whole, whole},
    field::{Classify, PlainData, Probe, probe},
    layout::{Field, Layout, no_gap_after},
    unfit::Unfit,
};
