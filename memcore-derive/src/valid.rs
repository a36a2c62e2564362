//! Finds what is wrong with the item as far as its tokens tell, and decides what is left for the compiler to check.

use syn::{GenericParam, Ident};

use crate::{
    ast::{Field, Item, Shape},
    flaw::{self, Flaw},
    report::Report,
};

/// What is to be written for a struct.
pub(crate) struct Plan<'a> {
    pub(crate) fields: Vec<Judged<'a>>,
    /// Whether its `repr` fixes the layout, so that there is a layout to check.
    pub(crate) fixed: bool,
}

/// A field, and whether its tokens have condemned it: its type is then not checked once more.
pub(crate) struct Judged<'a> {
    pub(crate) field: &'a Field<'a>,
    pub(crate) condemned: bool,
    /// Whether it looks like a number or an array of numbers. Only the choice of the check depends on it.
    pub(crate) is_number: bool,
}

/// The plan for a struct, whatever mistakes it has; `None` where no check on it would compile.
pub(crate) fn judge<'a>(item: &'a Item<'a>, report: &mut Report) -> Option<Plan<'a>> {
    let name = item.name();
    let fields = match &item.shape {
        Shape::Struct(fields) => fields,
        Shape::Enum(token) => {
            let wrong = format!("`DeviceCopy` is derived for structs, and `{name}` is an enum");
            report.mistake(token, wrong, "hold its integer in a field of a struct, and check it with a `match`");
            return None;
        }
        Shape::Union(token) => {
            let wrong = format!("`DeviceCopy` is derived for structs, and `{name}` is a union");
            report.mistake(token, wrong, "hold its bytes in a `[u8; N]` of a struct");
            return None;
        }
    };
    if !takes_no_parameters(item, report) {
        return None;
    }
    let fixed = has_fixed_layout(item, report);
    let mut fields_have_sizes = true;
    let mut judged = Vec::with_capacity(fields.len());
    for field in fields {
        let flaw = Flaw::of(field.ty);
        if let Some(flaw) = &flaw {
            report.mistake(flaw.culprit, format!("field `{}` {}", field.name, flaw.wrong), &flaw.help);
            fields_have_sizes &= flaw.sized;
        }
        judged.push(Judged { field, condemned: flaw.is_some(), is_number: flaw::looks_like_number(field.ty) });
    }
    fields_have_sizes.then_some(Plan { fields: judged, fixed })
}

/// Whether the item has no parameters; says so once if it has.
fn takes_no_parameters(item: &Item<'_>, report: &mut Report) -> bool {
    let generics = &item.original.generics;
    let name = item.name();
    if let Some(lifetime) = generics.lifetimes().next() {
        let wrong =
            format!("`{name}` borrows for `{}`, and a device cannot reach what the host lends", lifetime.lifetime);
        report.mistake(lifetime, wrong, "hold the data itself, or point at device memory: `DevicePointer<T>`");
        return false;
    }
    let (parameter, example) = match generics.params.first() {
        None => return true,
        Some(GenericParam::Const(parameter)) => (&parameter.ident, "a number"),
        Some(GenericParam::Type(parameter)) => (&parameter.ident, "a type"),
        Some(GenericParam::Lifetime(parameter)) => (&parameter.lifetime.ident, "a lifetime"),
    };
    generic(parameter, name, example, report);
    false
}

fn generic(parameter: &Ident, name: &Ident, kind: &str, report: &mut Report) {
    let wrong =
        format!("`DeviceCopy` is derived for structs without parameters, and `{name}` takes {kind}, `{parameter}`");
    report.mistake(parameter, wrong, format!("write {kind} in place of `{parameter}`"));
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
