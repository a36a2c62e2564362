//! Guesses from tokens which fields are numbers, and where a struct may have gaps.
//!
//! A constant for every gap costs the compiler time, and most fields are numbers after which there can be none. Where the
//! guess says so the gap is checked together with all the others: a wrong guess (a type that the program calls `u64`)
//! makes an error point at the struct, and no more. A field that seems to be a number is asked about once, in const
//! evaluation; if it is something else it is described as bytes.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Expr, ExprLit, Lit, Type};

use crate::{attr::Repr, params::element, valid::Judged};

/// The size and the alignment of a type.
#[derive(Clone, Copy)]
struct Room {
    /// `None` where it is some multiple of the alignment.
    size: Option<u64>,
    align: u64,
}

/// What is known of an offset: what is left over when it is divided by `modulus`.
#[derive(Clone, Copy)]
struct Offset {
    modulus: u64,
    rest: u64,
}

/// Whether there may be a gap after each field.
pub(crate) fn gaps(fields: &[Judged<'_>], repr: &Repr) -> Vec<bool> {
    if repr.is_fully_packed() {
        return vec![false; fields.len()];
    }
    if repr.packed.is_some() {
        return vec![true; fields.len()];
    }
    let rooms: Vec<_> = fields.iter().map(|judged| room(judged.field.ty)).collect();
    let mut offset = Offset { modulus: 16, rest: 0 };
    let mut gaps = Vec::with_capacity(fields.len());
    for (index, room) in rooms.iter().enumerate() {
        offset = offset.after(*room);
        let next = match rooms.get(index + 1) {
            Some(next) => next.map(|room| room.align),
            // The end of the struct is aligned to what is aligned most.
            None if repr.align.is_some() => None,
            None => rooms.iter().try_fold(1, |most, room| room.map(|room| room.align.max(most))),
        };
        gaps.push(next.is_none_or(|align| !offset.is_multiple_of(align)));
    }
    gaps
}

impl Offset {
    /// The end of a field that begins here, after a gap where it needs one.
    fn after(self, room: Option<Room>) -> Self {
        let Some(Room { size, align }) = room else { return Self { modulus: 1, rest: 0 } };
        let start = if self.is_multiple_of(align) { self } else { Self { modulus: align, rest: 0 } };
        match size {
            Some(size) => Self { modulus: start.modulus, rest: (start.rest + size) % start.modulus },
            None => Self { modulus: align, rest: 0 },
        }
    }

    /// Whether it surely is one.
    fn is_multiple_of(self, align: u64) -> bool {
        self.modulus.is_multiple_of(align) && self.rest.is_multiple_of(align)
    }
}

/// The numbers, and the size of each, which is also its alignment.
const NUMBERS: [(&str, u64); 14] = [
    ("u8", 1),
    ("u16", 2),
    ("u32", 4),
    ("u64", 8),
    ("u128", 16),
    ("usize", 8),
    ("i8", 1),
    ("i16", 2),
    ("i32", 4),
    ("i64", 8),
    ("i128", 16),
    ("isize", 8),
    ("f32", 4),
    ("f64", 8),
];

/// The room that a number takes, or an array of numbers, by its name.
fn room(ty: &Type) -> Option<Room> {
    const CHECKED: [(&str, u64); 2] = [("bool", 1), ("char", 4)];
    let Type::Path(path) = element(ty) else { return None };
    let (_, size) = NUMBERS.iter().chain(&CHECKED).find(|(name, _)| path.path.is_ident(name))?;
    Some(Room { size: count(ty).and_then(|count| count.checked_mul(*size)), align: *size })
}

/// The number, or the array of numbers of a length that is written out, that a type seems to be; at the place of its name.
pub(crate) fn number(ty: &Type, support: &TokenStream) -> Option<TokenStream> {
    match ty {
        Type::Array(array) => match &array.len {
            Expr::Lit(ExprLit { lit: Lit::Int(length), .. }) => {
                let (element, length) = (number(&array.elem, support)?, length.base10_parse::<usize>().ok()?);
                Some(quote!([#element; #length]))
            }
            _ => None,
        },
        Type::Group(group) => number(&group.elem, support),
        Type::Paren(paren) => number(&paren.elem, support),
        Type::Path(path) => {
            let (name, _) = NUMBERS.iter().find(|(name, _)| path.path.is_ident(name))?;
            let name = Ident::new(name, Span::mixed_site());
            Some(quote!(#support::#name))
        }
        _ => None,
    }
}

/// How many elements are in an array of arrays, if their lengths are written out.
fn count(ty: &Type) -> Option<u64> {
    match ty {
        Type::Array(array) => match &array.len {
            Expr::Lit(ExprLit { lit: Lit::Int(length), .. }) => {
                length.base10_parse::<u64>().ok()?.checked_mul(count(&array.elem)?)
            }
            _ => None,
        },
        Type::Group(group) => count(&group.elem),
        Type::Paren(paren) => count(&paren.elem),
        _ => Some(1),
    }
}
