//! Finds what is wrong with the item as far as its tokens tell, and decides what is left for the compiler to check.

use syn::{Ident, PathArguments, Type};

use crate::{
    ast::{Field, Item, Shape, Variant},
    attr,
    flaw::{Flaw, written},
    params::Params,
    report::Report,
};

/// Which derive runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// `DeviceCopy`: the traits of plain data, and the layout.
    Copy,
    /// `DeviceLayout`: the layout alone, of a type that has the traits.
    Layout,
}

/// What is to be written for an item.
pub(crate) enum Plan<'a> {
    Struct(Parts<'a>),
    Union(Parts<'a>),
    Enum(Variants<'a>),
}

/// What is to be written for a struct or a union.
pub(crate) struct Parts<'a> {
    pub(crate) fields: Vec<Judged<'a>>,
    /// Whether its `repr` fixes the layout, so that there is a layout to check.
    pub(crate) fixed: bool,
    /// Whether its values are checked when they come back.
    pub(crate) checked: bool,
    pub(crate) subjects: Subjects<'a>,
}

/// For which types it is written.
pub(crate) enum Subjects<'a> {
    /// The item has no parameters.
    Itself,
    /// The types that `instances(..)` names, by the arguments of each.
    Listed(Vec<&'a PathArguments>),
    /// All that the parameters allow.
    All(Params<'a>, Proof),
}

/// Why a struct with parameters has no padding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Its fields are of one type, and arrays of it.
    OneType,
    /// Its `repr` leaves no room for any.
    Repr,
}

/// A field, and whether its tokens have condemned it: its type is then not checked once more.
pub(crate) struct Judged<'a> {
    pub(crate) field: &'a Field<'a>,
    pub(crate) condemned: bool,
}

/// What is to be written for an enum.
pub(crate) struct Variants<'a> {
    pub(crate) integer: &'a Ident,
    pub(crate) variants: &'a [Variant<'a>],
}

/// The plan for an item, whatever mistakes it has; `None` where no check on it would compile.
pub(crate) fn judge<'a>(item: &'a Item<'a>, purpose: Purpose, report: &mut Report) -> Option<Plan<'a>> {
    let name = item.name();
    if let Some(lifetime) = item.original.generics.lifetimes().next() {
        let wrong =
            format!("`{name}` borrows for `{}`, and a device cannot reach what the host lends", lifetime.lifetime);
        report.mistake(lifetime, wrong, "hold the data itself, or point at device memory: `DevicePointer<T>`");
        return None;
    }
    match &item.shape {
        Shape::Enum(variants) => judge_enum(item, variants, report).map(Plan::Enum),
        Shape::Struct(fields) => judge_parts(item, fields, purpose, report).map(Plan::Struct),
        Shape::Union(token, fields) => {
            if let Some(checked) = item.attributes.checked.as_ref().filter(|_| purpose == Purpose::Copy) {
                let wrong = format!("`{name}` is a union, and nothing tells which of its fields to check");
                report.mistake(checked, wrong, "leave `checked` out; hold plain numbers");
            }
            if purpose == Purpose::Copy {
                attr::refuse_foreign(&item.attributes, "this union", report);
            }
            if item.original.generics.params.is_empty() || !item.attributes.instances.is_empty() {
                judge_parts(item, fields, purpose, report).map(Plan::Union)
            } else {
                let params = Params::new(item.original, []);
                let wrong = format!("`{name}` is a union with parameters: its fields may differ in size");
                report.mistake(token, wrong, params.list_instances());
                None
            }
        }
    }
}

fn judge_parts<'a>(
    item: &'a Item<'a>,
    fields: &'a [Field<'a>],
    purpose: Purpose,
    report: &mut Report,
) -> Option<Parts<'a>> {
    let fixed = has_fixed_layout(item, report);
    let checked = item.attributes.checked.is_some() && matches!(item.shape, Shape::Struct(_));
    let mut fields_have_sizes = true;
    let mut judged = Vec::with_capacity(fields.len());
    for field in fields {
        let flaw = Flaw::of(field.ty).filter(|flaw| purpose == Purpose::Copy || !flaw.sized);
        if let Some(flaw) = &flaw {
            report.mistake(flaw.culprit, format!("field `{}` {}", field.name, flaw.wrong), &flaw.help);
            fields_have_sizes &= flaw.sized;
        }
        judged.push(Judged { field, condemned: flaw.is_some() });
    }
    let subjects = judge_parameters(item, fields, fixed, purpose, report)?;
    fields_have_sizes.then_some(Parts { fields: judged, fixed, checked, subjects })
}

/// For which types a struct or a union is judged.
fn judge_parameters<'a>(
    item: &'a Item<'a>,
    fields: &'a [Field<'a>],
    fixed: bool,
    purpose: Purpose,
    report: &mut Report,
) -> Option<Subjects<'a>> {
    let name = item.name();
    let attributes = &item.attributes;
    if item.original.generics.params.is_empty() {
        for instance in &attributes.instances {
            let wrong = format!("`{name}` has no parameters, and so no instances");
            report.mistake(instance, wrong, "leave `instances(..)` out");
        }
        return Some(Subjects::Itself);
    }
    let params = Params::new(item.original, fields.iter().map(|field| field.ty));
    if !attributes.instances.is_empty() {
        let listed = attributes.instances.iter().enumerate().map(|(index, instance)| {
            let arguments = arguments_of(instance, name);
            if attributes.instances[..index].iter().any(|other| written(other) == written(instance)) {
                report.mistake(instance, format!("`{}` is listed twice", written(instance)), "keep one of the two");
                return None;
            }
            if arguments.is_none() {
                let wrong = format!("`{}` is no instance of `{name}`", written(instance));
                report.mistake(instance, wrong, params.list_instances());
            }
            arguments
        });
        return listed.collect::<Vec<_>>().into_iter().collect::<Option<_>>().map(Subjects::Listed);
    }
    if purpose == Purpose::Layout {
        return Some(Subjects::All(params, Proof::Repr));
    }
    attr::refuse_foreign(attributes, "this struct, whose layout depends on parameters", report);
    if let Some(checked) = &attributes.checked {
        let wrong = format!("`{name}` is checked byte by byte, which takes a size, and it has parameters");
        report.mistake(checked, wrong, params.list_instances());
        return None;
    }
    if let Some(align) = &attributes.repr.align {
        let wrong = format!("`{name}` may be padded up to this alignment, depending on its parameters");
        report.mistake(align, wrong, params.list_instances());
        return Some(Subjects::All(params, Proof::Repr));
    }
    if attributes.repr.transparent || attributes.repr.is_fully_packed() || !fixed {
        return Some(Subjects::All(params, Proof::Repr));
    }
    if let Some((first, other)) = params.differing(fields) {
        let wrong = format!(
            "`{name}` has padding for some parameters: `{}` is `{}`, and this is not",
            first.0,
            written(first.1)
        );
        report.mistake(other, wrong, params.list_instances());
        return Some(Subjects::All(params, Proof::Repr));
    }
    Some(Subjects::All(params, Proof::OneType))
}

/// The arguments of an instance, if it is one of the type `name`.
fn arguments_of<'a>(instance: &'a Type, name: &Ident) -> Option<&'a PathArguments> {
    let Type::Path(path) = instance else { return None };
    let segments = &path.path.segments;
    let is_it = path.qself.is_none() && segments.len() == 1 && segments[0].ident == *name;
    (is_it && !segments[0].arguments.is_none()).then(|| &segments[0].arguments)
}

/// Whether the `repr` fixes the layout; says so once if it does not.
fn has_fixed_layout(item: &Item<'_>, report: &mut Report) -> bool {
    let name = item.name();
    let repr = &item.attributes.repr;
    if repr.c || repr.transparent {
        return true;
    }
    let help = format!("write `#[repr({})]` above it", repr.with_c());
    match &repr.packed {
        Some(packed) => {
            let wrong = format!("`{name}` has no fixed layout: `packed` alone lets Rust reorder the fields");
            report.mistake(packed, wrong, help);
        }
        None => report.mistake(name, format!("`{name}` has no fixed layout: Rust may reorder the fields"), help),
    }
    false
}

fn judge_enum<'a>(item: &'a Item<'a>, variants: &'a [Variant<'a>], report: &mut Report) -> Option<Variants<'a>> {
    let name = item.name();
    let attributes = &item.attributes;
    let mut sound = true;
    let mut mistake = |culprit: &dyn quote::ToTokens, wrong: String, help: &str| {
        sound = false;
        report.mistake(culprit, wrong, help);
    };
    for variant in variants.iter().filter(|variant| !variant.fields.is_empty()) {
        let wrong =
            format!("`{name}::{}` carries data, and an enum with data is padded where variants differ", variant.ident);
        mistake(variant.fields, wrong, "hold the data in a struct, and beside it an enum without data");
    }
    let has_data = variants.iter().any(|variant| !variant.fields.is_empty());
    if attributes.repr.integer.is_none() && !has_data {
        let wrong = if attributes.repr.c {
            format!("`{name}` has no fixed size: under `repr(C)` it is the C compiler's choice")
        } else {
            format!("`{name}` has no fixed size: the compiler chooses its integer")
        };
        mistake(name, wrong, "write `#[repr(u32)]` above it, or another integer");
    }
    if variants.is_empty() {
        mistake(name, format!("`{name}` has no variant, and so no value"), "add a variant");
    }
    if let Some(checked) = &attributes.checked {
        mistake(checked, format!("`{name}` is an enum, which is always checked"), "leave `checked` out");
    }
    if let Some(parameter) = item.original.generics.params.first() {
        mistake(parameter, format!("`{name}` is an enum with parameters"), "leave the parameters out");
    } else if let Some(instance) = attributes.instances.first() {
        let wrong = format!("`{name}` has no parameters, and so no instances");
        mistake(instance, wrong, "leave `instances(..)` out");
    }
    let integer = attributes.repr.integer.as_ref().filter(|_| sound)?;
    Some(Variants { integer, variants })
}
