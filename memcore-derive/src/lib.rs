//! The derive macros of `memcore`, which re-exports them: use them from there.
//!
//! A derive runs through five steps: `attr` reads the attributes, `ast` shapes the item, `valid` finds
//! what is wrong with it, `expand` writes the implementations and the checks which only the compiler can decide, and
//! `fallback` stands in for the implementations of a refused item, so that one mistake gives one error.
//!
//! What is decided where: tokens decide only what tokens can (the `repr`, the shape, a `&` that is written out). Types,
//! sizes and offsets are asked of the compiler, about the item as it is after every other macro has run.

mod ast;
mod attr;
mod expand;
mod fallback;
mod flaw;
#[cfg(test)]
mod golden;
mod guess;
mod params;
mod report;
#[cfg(test)]
mod tests;
mod valid;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::{ast::Item, report::Report, valid::Purpose};

/// Verifies that a type is plain data and implements bytemuck's traits for it, and with them `memcore::DeviceCopy`;
/// implements `memcore::layout::DeviceLayout` too.
///
/// # What it takes
///
/// | item | with | it gets | bytes that come back |
/// |---|---|---|---|
/// | a struct of plain data | `repr(C)`, `repr(transparent)`, `repr(C, packed)`, `repr(C, align(N))` | `Zeroable`, `Pod` | are values, whatever they are |
/// | a struct that also holds `bool`, `char`, `NonZero*`, enums or such structs | the same, and `#[device_copy(checked)]` | `NoUninit`, `CheckedBitPattern` | are checked field by field |
/// | a union of plain fields of one size | `repr(C)` | `Zeroable`, `Pod` | are values, whatever they are |
/// | an enum without data | `repr(u8)` or another integer | `NoUninit`, `CheckedBitPattern` | are checked |
///
/// The type is `Copy`, has no padding, and holds no reference, pointer or owner of host memory; a struct with parameters
/// has none whatever they are (below). Whatever is amiss is an error where it is written, under `cargo check` already, all
/// of it at once. The page of the trait `DeviceCopy` says for each rule why it is there and what to write instead.
///
/// A type that has bytemuck's `Pod` from elsewhere is `DeviceCopy` without this derive, which would implement `Pod` once
/// more: give it `#[derive(DeviceLayout)]` if a kernel shares it.
///
/// # Parameters
///
/// A struct with parameters is accepted where no choice of them gives padding: every field is one type `T`, or an array of
/// `T`, under `repr(C)` or `repr(C, packed(N))`; or it is `repr(transparent)`; or `repr(C, packed)`. `PhantomData` asks
/// nothing of its parameter. Any other one lists the instances that the program uses, each of which is checked by itself.
///
/// # Options
///
/// `#[device_copy(..)]` above the type takes, separated by commas:
///
/// | option | means |
/// |---|---|
/// | `checked` | the struct has bytes that are no value, and is checked when it comes back |
/// | `instances(Pair<f32, u32>, Pair<u8, i8>)` | the struct or union is derived for these instances alone |
/// | `inert(serde)` | `#[serde(..)]` on this type is read by another derive; no macro of that name edits the type |
/// | `crate = "path"` | where `memcore` is, if not at `::memcore` |
///
/// `inert` is asked for on generic structs and on unions only, which the compiler cannot take apart to see whether an
/// attribute has edited them after the derive ran.
#[proc_macro_derive(DeviceCopy, attributes(device_copy))]
pub fn derive_device_copy(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    run(input, Purpose::Copy)
}

/// Implements `memcore::layout::DeviceLayout`, which says where each field lies, for a type that is `DeviceCopy` already.
///
/// `#[derive(DeviceCopy)]` implements it too; this derive is for types whose `Pod` comes from elsewhere. The same `repr`s
/// are asked for, and the options `instances(..)` and `crate = "path"` of `#[device_copy(..)]` mean the same.
#[proc_macro_derive(DeviceLayout, attributes(device_copy))]
pub fn derive_device_layout(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    run(input, Purpose::Layout)
}

fn run(input: proc_macro::TokenStream, purpose: Purpose) -> proc_macro::TokenStream {
    match syn::parse::<DeriveInput>(input) {
        Ok(input) => derive(&input, purpose).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

fn derive(input: &DeriveInput, purpose: Purpose) -> TokenStream {
    let mut report = Report::default();
    let item = Item::read(input, &mut report);
    let verdict = valid::judge(&item, purpose, &mut report);
    let errors = report.into_compile_errors();
    let code = match &verdict {
        Some(plan) => expand::expand(&item, plan, purpose),
        None => fallback::fallback(&item, purpose),
    };
    quote::quote! { #errors #code }
}
