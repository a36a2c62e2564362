//! Field types that can be told from their tokens alone not to be plain data.
//!
//! Only what no name can stand for is judged here, such as a `&` that is written out: it gives the shortest error. A
//! path or a macro may be any type; those are judged by type, in the expansion.

use quote::ToTokens;
use syn::{Path, Type};

/// Why a type is not plain data.
pub(crate) struct Flaw<'a> {
    pub(crate) culprit: &'a Type,
    /// Goes on after "field `name` ".
    pub(crate) wrong: &'static str,
    pub(crate) help: String,
    /// Whether the type has a size, so that other checks of the struct still compile.
    pub(crate) sized: bool,
}

impl<'a> Flaw<'a> {
    /// The flaw of a type, if its tokens show one; looks into arrays.
    pub(crate) fn of(ty: &'a Type) -> Option<Self> {
        let flaw = |wrong, help: String| Some(Self { culprit: ty, wrong, help, sized: true });
        match ty {
            Type::Array(array) => Self::of(&array.elem),
            Type::Group(group) => Self::of(&group.elem),
            Type::Paren(paren) => Self::of(&paren.elem),
            Type::Reference(reference) => flaw("is a reference to host memory", pointer_to(&reference.elem)),
            Type::Ptr(pointer) => flaw("points at host memory", pointer_to(&pointer.elem)),
            Type::FnPtr(_) => {
                flaw("is a function of the host", "hold a number that says which function is meant".into())
            }
            Type::Tuple(tuple) if !tuple.elems.is_empty() => flaw(
                "is a tuple, which has no fixed layout",
                "make it a struct with `#[repr(C)]` and this derive".into(),
            ),
            Type::Slice(slice) => flaw("has no size", format!("give it a length: `[{}; N]`", written(&slice.elem)))
                .map(Self::unsized_type),
            // The one name that is judged: nobody calls another type `str`, and without a size every other check fails.
            Type::Path(path) if is_str(&path.path) => {
                flaw("has no size", "give it a length: `[u8; N]`".into()).map(Self::unsized_type)
            }
            Type::TraitObject(_) => {
                flaw("has no size and calls functions of the host", "name one type".into()).map(Self::unsized_type)
            }
            _ => None,
        }
    }

    fn unsized_type(self) -> Self {
        Self { sized: false, ..self }
    }
}

/// The help for a type that points at `target`.
fn pointer_to(target: &Type) -> String {
    let element = match target {
        Type::Slice(slice) => written(&slice.elem),
        Type::TraitObject(_) => "T".to_owned(),
        Type::Path(path) if is_str(&path.path) => "u8".to_owned(),
        other => written(other),
    };
    format!("point at device memory: `DevicePointer<{element}>`")
}

fn is_str(path: &Path) -> bool {
    path.is_ident("str")
}

/// Tokens as a person writes them.
pub(crate) fn written(tokens: &impl ToTokens) -> String {
    let tight =
        [(" :: ", "::"), (" < ", "<"), ("< ", "<"), (" <", "<"), (" >", ">"), (" ;", ";"), (" ,", ","), ("& ", "&")];
    let text = tokens.to_token_stream().to_string();
    tight.iter().fold(text, |text, (loose, tight)| text.replace(loose, tight))
}
