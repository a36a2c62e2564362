//! The derive macros and the test attribute of `memcore`, which re-exports them: use them from there.
//!
//! A derive runs through five steps: `attr` reads the attributes, `ast` shapes the item, `valid` finds
//! what is wrong with it, `expand` writes the implementations and the checks which only the compiler can decide, and
//! `fallback` stands in for the implementations of a refused item, so that one mistake gives one error.
//!
//! `test_attr` and `test_options` are the test attribute.
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
mod test_attr;
mod test_options;
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

/// # Where it runs
///
/// | `MEMCORE_DRIVER` | device |
/// |---|---|
/// | unset, or `sim` | a new simulated machine for each test |
/// | `cuda` | the GPU: device 0 of the CUDA driver, one test of the process at a time |
/// | `auto` | the GPU where there is one, else a simulated machine |
///
/// The body runs in the context of device 0, which is entered. On the test's own thread `Device::new` and `Device::all`
/// mean the devices of the test's machine. The function takes no argument or that context, as `&Context`. It returns
/// what a `#[test]` may return, and may have its attributes: `#[ignore]`, `#[should_panic]`.
///
/// # When it fails
///
/// Where the body panics or returns an error, as every test. On a simulated machine also where a violation was found or
/// memory was leaked, with the reports: see `memcore::sim`. Both are said where there are both, the body's own first.
/// Memory that outlives the body, in a static, in a thread that goes on or in a thread's local, is a leak. Transfers
/// that the body has dropped in flight are waited for.
///
/// `#[should_panic]` means the body: a violation does not count as the panic that was expected, and fails the test. A
/// test that expects a violation makes a `memcore::sim::Sim` in code, and looks at what its `finish` returns.
///
/// # Threads
///
/// A thread that the body starts enters the context itself: take `context: &Context` and call `context.enter()` there,
/// or name the context in each call. A thread that does neither uses the process's default device, as always: its
/// memory is not in the test's machine and is not checked by it.
///
/// # Options
///
/// `#[memcore::test(..)]` takes, separated by commas:
///
/// | option | means |
/// |---|---|
/// | `devices = 2` | how many devices the machine has, 1 to 32; a GPU test fails where there are fewer |
/// | `order = "lazy"` | when queued work runs: `lazy`, `eager`, `random:SEED`, or `all`: the body runs under `lazy`, `eager` and four random orders, and a failure names its order |
/// | `memory = 64 << 20` | bytes of memory of each device |
/// | `without_pools` | the devices have no memory pools and no stream-ordered allocation |
/// | `without_concurrent_managed_access` | the host may not touch managed memory while a device works |
/// | `crate = "path"` | where `memcore` is, if not at `::memcore` |
///
/// What the attribute does not say is as the `MEMCORE_SIM_*` variables say. On a GPU only `devices` and `crate` mean
/// something.
#[proc_macro_attribute]
pub fn test(options: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    test_attr::expand(options.into(), item.into()).into()
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
