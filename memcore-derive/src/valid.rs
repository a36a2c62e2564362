//! Finds what is wrong with the item as far as its tokens can tell, and decides what is left for the compiler to check.

use quote::ToTokens;
use syn::{GenericParam, Type};

use crate::{
    ast::{Field, Item, Shape},
    attr,
    report::Report,
};

/// What `expand` is to write for a struct.
pub(crate) struct Plan<'a> {
    pub(crate) fields: Vec<Judged<'a>>,
    /// Whether the layout can be asked for; not where a field has no size, or without a fixed layout.
    pub(crate) layout: bool,
}

/// A field, and whether its tokens have condemned it already: then its type is not checked again.
pub(crate) struct Judged<'a> {
    pub(crate) field: &'a Field<'a>,
    pub(crate) condemned: bool,
}

/// The plan for an item of a shape that the derive knows, whatever mistakes it has; `None` for any other.
pub(crate) fn judge<'a>(item: &'a Item<'a>, report: &mut Report) -> Option<Plan<'a>> {
    let fields = match &item.shape {
        Shape::Struct(fields) => fields,
        Shape::Enum(token) => {
            refuse_shape(
                item,
                token,
                "an enum",
                "keep its integer in a field, and convert with a `match`",
                report,
            );
            return None;
        }
        Shape::Union(token) => {
            refuse_shape(
                item,
                token,
                "a union",
                "keep its bytes in a `[u8; N]` field",
                report,
            );
            return None;
        }
    };
    if !generics_are_accepted(item, report) {
        return None;
    }
    let fixed = repr_is_accepted(item, report);
    let mut sized = true;
    let mut judged = Vec::with_capacity(fields.len());
    for field in fields {
        let flaw = Flaw::of(field.ty);
        if let Some(flaw) = &flaw {
            report.mistake(
                flaw.culprit,
                format!("field `{}` {}", field.name, flaw.wrong),
                &flaw.help,
            );
            sized &= flaw.sized;
        }
        judged.push(Judged {
            field,
            condemned: flaw.is_some(),
        });
    }
    // Nothing that takes the struct by value compiles with an unsized field: the one error has said it.
    sized.then_some(Plan {
        fields: judged,
        layout: fixed,
    })
}

fn refuse_shape(
    item: &Item<'_>,
    token: impl ToTokens,
    what: &str,
    help: &str,
    report: &mut Report,
) {
    report.mistake(
        token,
        format!(
            "`DeviceCopy` can be derived for a struct, and `{}` is {what}",
            item.name()
        ),
        help,
    );
}

/// Says once if the item takes parameters.
fn generics_are_accepted(item: &Item<'_>, report: &mut Report) -> bool {
    let generics = &item.original.generics;
    let mut lifetimes = generics.lifetimes().peekable();
    if let Some(lifetime) = lifetimes.peek() {
        report.mistake(
            lifetime,
            format!(
                "`{}` borrows for `{}`, and a host borrow means nothing on a device",
                item.name(),
                lifetime.lifetime
            ),
            "store the data itself, or a `DevicePointer<T>` to data on the device",
        );
        return false;
    }
    if generics.params.is_empty() {
        return true;
    }
    let kind = match generics.params.first() {
        Some(GenericParam::Const(_)) => "const parameters",
        _ => "type parameters",
    };
    report.mistake(
        &generics.params,
        format!("`DeviceCopy` cannot be derived for a struct with {kind}"),
        "derive it for a struct of concrete types",
    );
    false
}

/// Says once if the `repr` does not fix the layout.
fn repr_is_accepted(item: &Item<'_>, report: &mut Report) -> bool {
    let repr = &item.attributes.repr;
    if repr.c || repr.transparent {
        return true;
    }
    let wanted = attr::with_c(repr);
    if let Some(packed) = &repr.packed {
        report.mistake(
            packed,
            format!(
                "`packed` alone does not fix the order of the fields of `{}`",
                item.name()
            ),
            format!("write `#[repr({wanted})]`"),
        );
    } else {
        report.mistake(
            item.name(),
            format!("`{}` has no fixed layout: Rust may reorder its fields", item.name()),
            format!("write `#[repr({wanted})]` above it, or `#[repr(transparent)]` if it wraps one field"),
        );
    }
    false
}

/// A type whose tokens alone show that it is not plain data.
struct Flaw<'a> {
    culprit: &'a Type,
    wrong: String,
    help: String,
    sized: bool,
}

impl<'a> Flaw<'a> {
    /// Looks through arrays and parentheses; a name is never judged here, for it may stand for any type.
    fn of(ty: &'a Type) -> Option<Self> {
        let flaw = |wrong: &str, help: String, sized: bool| {
            Some(Self {
                culprit: ty,
                wrong: wrong.to_owned(),
                help,
                sized,
            })
        };
        match ty {
            Type::Array(array) => Self::of(&array.elem),
            Type::Group(group) => Self::of(&group.elem),
            Type::Paren(paren) => Self::of(&paren.elem),
            Type::Reference(reference) => flaw(
                "holds a reference to host memory",
                points_at(&reference.elem),
                true,
            ),
            Type::Ptr(pointer) => flaw(
                "holds a raw pointer to host memory",
                points_at(&pointer.elem),
                true,
            ),
            Type::FnPtr(_) => flaw(
                "holds a host function",
                "store a number that says which function to run".to_owned(),
                true,
            ),
            Type::Slice(slice) => flaw(
                "has no size known at compile time",
                format!("give it a length: `[{}; N]`", written(&slice.elem)),
                false,
            ),
            Type::TraitObject(_) => flaw(
                "is a trait object: it has no size known at compile time, and its functions are on the host",
                "name one concrete type".to_owned(),
                false,
            ),
            Type::Tuple(tuple) if !tuple.elems.is_empty() => flaw(
                "is a tuple, whose layout Rust does not fix",
                "name a struct with `#[repr(C)]` and `#[derive(Clone, Copy, DeviceCopy)]`"
                    .to_owned(),
                true,
            ),
            _ => None,
        }
    }
}

/// The help for something that points at `target`.
fn points_at(target: &Type) -> String {
    let element = match target {
        Type::Slice(slice) => &*slice.elem,
        Type::Path(path) if path.path.is_ident("str") => return "store the bytes in a `[u8; N]`, or point at them on the device: `DevicePointer<u8>`".to_owned(),
        Type::TraitObject(_) => return "name one concrete type `T` and point at it on the device: `DevicePointer<T>`".to_owned(),
        other => other,
    };
    format!(
        "point at device memory: `DevicePointer<{}>`",
        written(element)
    )
}

/// A type as a person writes it.
fn written(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    [
        (" :: ", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" <", "<"),
        (" >", ">"),
        (" ;", ";"),
        (" ,", ","),
        ("& ", "&"),
    ]
    .iter()
    .fold(text, |text, (loose, tight)| text.replace(loose, tight))
}
