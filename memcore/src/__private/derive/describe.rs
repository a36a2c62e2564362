//! How is a type laid out?

use std::{any::TypeId, fmt::Display};

use super::{field::Probe, layout::Layout as Checked};
use crate::layout::{DeviceLayout, FieldLayout, Kind, Layout, c_identifier};

impl<S, T: DeviceLayout> Probe<S, T> {
    /// The layout of the field's type.
    #[must_use]
    pub fn memcore_describe(self) -> Layout {
        T::layout()
    }
}

/// Finds the size and the alignment alone.
pub trait Describe: Sized {
    /// Bytes.
    fn memcore_describe(self) -> Layout;
}

impl<S, T> Describe for Probe<S, T> {
    fn memcore_describe(self) -> Layout {
        Layout::bytes::<T>()
    }
}

/// The layout of a `T` that seems to be a `G`.
pub(super) fn number<G: DeviceLayout + 'static, T: 'static>() -> Layout {
    if TypeId::of::<T>() == TypeId::of::<G>() { G::layout() } else { Layout::bytes::<T>() }
}

/// The layout of a struct whose fields have been checked; `others` are those of the fields that do not seem to be numbers.
#[must_use]
pub fn structure<const N: usize>(checked: &Checked, name: &'static str, others: [Layout; N]) -> Layout {
    let mut others = others.into_iter();
    let fields = checked.fields.iter().map(|field| {
        let layout = field.number.map(|layout| layout()).or_else(|| others.next());
        let layout = layout.expect("one for each field");
        FieldLayout::new(field.name.trim_start_matches("r#"), field.offset, layout)
    });
    let fields = fields.collect();
    Layout::new(c_identifier(name), checked.size, checked.align, Kind::Struct(fields))
}

/// The layout of the struct `S`, which has parameters: the name, offset and layout of each field.
#[must_use]
pub fn generic_structure<S>(name: String, fields: impl IntoIterator<Item = (&'static str, usize, Layout)>) -> Layout {
    let fields = fields.into_iter().map(|(name, offset, layout)| FieldLayout::new(name, offset, layout));
    Layout::new(name, size_of::<S>(), align_of::<S>(), Kind::Struct(fields.collect()))
}

/// The layout of the union `S`: the name and layout of each field.
#[must_use]
pub fn union<S>(name: &'static str, fields: impl IntoIterator<Item = (&'static str, Layout)>) -> Layout {
    let fields = fields.into_iter().map(|(name, layout)| FieldLayout::new(name, 0, layout));
    Layout::new(c_identifier(name), size_of::<S>(), align_of::<S>(), Kind::Union(fields.collect()))
}

/// The layout of the enum `E`, whose variants are numbers of type `I`.
#[must_use]
pub fn enumeration<E, I: DeviceLayout>(
    name: &'static str,
    variants: impl IntoIterator<Item = (&'static str, i128)>,
) -> Layout {
    let kind = match I::layout().kind {
        Kind::Scalar(integer) => Kind::Enum(integer, variants.into_iter().collect()),
        _ => Kind::Bytes,
    };
    Layout::new(c_identifier(name), size_of::<E>(), align_of::<E>(), kind)
}

/// Stands where a mistake leaves nothing to describe.
///
/// # Panics
///
/// Always: it is in programs only that do not compile.
#[must_use]
pub fn no_layout() -> Layout {
    unreachable!("the derive has refused the type")
}

/// The name of a type in C.
#[must_use]
pub fn c_name(name: &str) -> String {
    c_identifier(name)
}

/// The name in C of a type with arguments.
#[must_use]
pub fn instance_name(name: &str, arguments: &[String]) -> String {
    let parts = arguments.iter().fold(name.to_owned(), |name, argument| format!("{name}_{argument}"));
    c_identifier(&parts)
}

/// The argument for a number.
#[must_use]
pub fn argument(value: impl Display) -> String {
    value.to_string().replace('-', "minus_")
}

/// What a pointer to the union `name` is declared with.
#[must_use]
pub fn union_pointee(name: &str) -> String {
    format!("union {name}")
}

/// What a pointer to an enum is declared with: unlike a struct, it is not known before its definition.
#[must_use]
pub fn no_pointee() -> String {
    "void".to_owned()
}
