//! The derive macros of `memcore`, which re-exports them: use them from there.
//!
//! One derive runs through five steps, one file each: `attr` reads the attributes, `ast` shapes the item, `valid` finds
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
mod report;
#[cfg(test)]
mod tests;
mod valid;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::{ast::Item, report::Report};

/// Verifies that a struct is plain data and implements bytemuck's `Zeroable` and `Pod` for it, and with them
/// `memcore::DeviceCopy`.
///
/// The struct is `repr(C)`, `repr(transparent)` or `repr(C, packed)`, is `Copy`, has no padding, and each of its fields
/// is plain data itself. Whatever is amiss is an error where it is written, under `cargo check` already, and all of it
/// at once. `#[device_copy(crate = "path")]` names the path of `memcore` where it is not `::memcore`.
#[proc_macro_derive(DeviceCopy, attributes(device_copy))]
pub fn derive_device_copy(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    match syn::parse::<DeriveInput>(input) {
        Ok(input) => device_copy(&input).into(),
        Err(error) => error.into_compile_error().into(),
    }
}

fn device_copy(input: &DeriveInput) -> TokenStream {
    let mut report = Report::default();
    let item = Item::read(input, &mut report);
    let verdict = valid::judge(&item, &mut report);
    let errors = report.into_compile_errors();
    let code = match &verdict {
        Some(plan) => expand::device_copy(&item, plan),
        None => fallback::device_copy(&item),
    };
    quote::quote! { #errors #code }
}
