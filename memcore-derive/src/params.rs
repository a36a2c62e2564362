//! The parameters of a generic item, and which of them its fields hold.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{
    ConstParam, DeriveInput, GenericParam, Ident, Token, Type, TypeParam, TypeParamBound, WherePredicate,
    punctuated::Punctuated,
};

use crate::{ast::Field, flaw::written};

/// The parameters of an item.
pub(crate) struct Params<'a> {
    original: &'a DeriveInput,
    /// The type parameters that some field holds a value of, as far as the tokens tell.
    pub(crate) held: Vec<&'a Ident>,
}

impl<'a> Params<'a> {
    /// The parameters of an item with fields of `types`.
    pub(crate) fn new(original: &'a DeriveInput, types: impl IntoIterator<Item = &'a Type>) -> Self {
        let mut named = Vec::new();
        for ty in types {
            held_names(ty.to_token_stream(), &mut named);
        }
        let held = original.generics.type_params().map(|parameter| &parameter.ident);
        Self { original, held: held.filter(|parameter| named.iter().any(|name| name == *parameter)).collect() }
    }

    /// `<T, const N: usize>`: the parameters without their bounds, which all go into the clause.
    pub(crate) fn header(&self) -> TokenStream {
        let parameters = self.original.generics.params.iter().map(|parameter| match parameter {
            GenericParam::Type(TypeParam { ident, .. }) => ident.to_token_stream(),
            GenericParam::Const(ConstParam { ident, ty, .. }) => quote!(const #ident: #ty),
            GenericParam::Lifetime(parameter) => parameter.to_token_stream(),
        });
        quote!(<#(#parameters),*>)
    }

    /// The predicates of a `where`: those of the item, and more bounds for each type parameter. Each parameter stands there
    /// once: some lints ask for that, and look into expansions too.
    pub(crate) fn clause(&self, more: impl Fn(&Ident) -> Vec<TokenStream>) -> TokenStream {
        let generics = &self.original.generics;
        let written: Vec<_> = generics.where_clause.iter().flat_map(|clause| &clause.predicates).collect();
        let of_parameters = generics.type_params().map(|parameter| {
            let ident = &parameter.ident;
            let inline = parameter.bounds.iter().map(ToTokens::to_token_stream);
            let apart = written.iter().filter_map(|predicate| bounds_of(predicate, ident)).flatten();
            let bounds: Vec<_> = inline.chain(apart.map(ToTokens::to_token_stream)).chain(more(ident)).collect();
            if bounds.is_empty() { TokenStream::new() } else { quote!(#ident: #(#bounds)+*,) }
        });
        let others = written.iter().filter(|predicate| self.types().all(|ident| bounds_of(predicate, ident).is_none()));
        quote!(#(#of_parameters)* #(#others,)*)
    }

    /// Every type parameter.
    pub(crate) fn types(&self) -> impl Iterator<Item = &'a Ident> {
        self.original.generics.type_params().map(|parameter| &parameter.ident)
    }

    /// The parameters that set two instances apart: types held, and numbers.
    pub(crate) fn telling(&self) -> impl Iterator<Item = &'a GenericParam> {
        self.original.generics.params.iter().filter(|parameter| match parameter {
            GenericParam::Type(parameter) => self.held.contains(&&parameter.ident),
            GenericParam::Const(_) => true,
            GenericParam::Lifetime(_) => false,
        })
    }

    /// The help that lists instances.
    pub(crate) fn list_instances(&self) -> String {
        let mut types = ["f32", "u32", "f64", "u64"].into_iter().cycle();
        let arguments: Vec<_> = self
            .original
            .generics
            .params
            .iter()
            .filter_map(|parameter| match parameter {
                GenericParam::Type(_) => types.next(),
                GenericParam::Const(parameter) => Some(match written(&parameter.ty).as_str() {
                    "bool" => "true",
                    "char" => "'a'",
                    _ => "4",
                }),
                GenericParam::Lifetime(_) => None,
            })
            .collect();
        let name = &self.original.ident;
        format!("list the instances that you use: `#[device_copy(instances({name}<{}>))]`", arguments.join(", "))
    }

    /// The first field that holds something, and the type of one after it that surely holds something else.
    ///
    /// A parameter written alone is that parameter and nothing else; any other tokens may stand for any type, and are
    /// left to the compiler.
    pub(crate) fn differing<'f>(&self, fields: &'f [Field<'f>]) -> Option<((&'f str, &'f Type), &'f Type)> {
        let mut held = fields.iter().filter(|field| !is_phantom(element(field.ty)));
        let first = held.next()?;
        let first_type = element(first.ty);
        let other = held.find(|field| {
            let ty = element(field.ty);
            self.differ(first_type, ty) || self.differ(ty, first_type)
        })?;
        Some(((&first.name, first.ty), other.ty))
    }

    /// Whether `one` is a parameter and `other` cannot be it.
    fn differ(&self, one: &Type, other: &Type) -> bool {
        let Type::Path(path) = one else { return false };
        let Some(parameter) = path.path.get_ident().filter(|ident| self.types().any(|parameter| parameter == *ident))
        else {
            return false;
        };
        let mut names = Vec::new();
        all_names(other.to_token_stream(), &mut names);
        match other {
            Type::Path(path) if path.path.get_ident().is_some() => !path.path.is_ident(parameter),
            Type::Macro(_) => false,
            _ => names.iter().all(|name| name != parameter),
        }
    }
}

/// The bounds of a predicate that is about the parameter `ident` itself.
fn bounds_of<'p>(predicate: &'p WherePredicate, ident: &Ident) -> Option<&'p Punctuated<TypeParamBound, Token![+]>> {
    let WherePredicate::Type(predicate) = predicate else { return None };
    let Type::Path(path) = &predicate.bounded_ty else { return None };
    (predicate.lifetimes.is_none() && path.qself.is_none() && path.path.is_ident(ident)).then_some(&predicate.bounds)
}

/// The element of an array of arrays, or the type itself.
pub(crate) fn element(ty: &Type) -> &Type {
    match ty {
        Type::Array(array) => element(&array.elem),
        Type::Group(group) => element(&group.elem),
        Type::Paren(paren) => element(&paren.elem),
        _ => ty,
    }
}

/// How many arrays are around the element.
pub(crate) fn depth(ty: &Type) -> usize {
    match ty {
        Type::Array(array) => 1 + depth(&array.elem),
        Type::Group(group) => depth(&group.elem),
        Type::Paren(paren) => depth(&paren.elem),
        _ => 0,
    }
}

pub(crate) fn is_phantom(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| segment.ident == PHANTOM),
        _ => false,
    }
}

/// Whether a type of this name holds its parameter is still the compiler's to say.
const PHANTOM: &str = "PhantomData";

/// The names in `tokens`, except those between the angle brackets of a `PhantomData`.
fn held_names(tokens: TokenStream, names: &mut Vec<Ident>) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => held_names(group.stream(), names),
            TokenTree::Ident(ident) if ident == PHANTOM => {
                while tokens.next_if(|token| is_punct(token, ':')).is_some() {}
                if tokens.peek().is_some_and(|token| is_punct(token, '<')) {
                    skip_brackets(&mut tokens);
                }
            }
            TokenTree::Ident(ident) => names.push(ident),
            _ => {}
        }
    }
}

/// Takes the tokens up to the bracket that closes the one that comes next.
fn skip_brackets(tokens: &mut impl Iterator<Item = TokenTree>) {
    let mut open = 0;
    let mut after_minus = false;
    for token in tokens {
        if is_punct(&token, '<') {
            open += 1;
        } else if is_punct(&token, '>') && !after_minus {
            open -= 1;
            if open == 0 {
                return;
            }
        }
        after_minus = is_punct(&token, '-');
    }
}

fn is_punct(token: &TokenTree, wanted: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == wanted)
}

/// Every name in `tokens`.
fn all_names(tokens: TokenStream, names: &mut Vec<Ident>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => all_names(group.stream(), names),
            TokenTree::Ident(ident) => names.push(ident),
            _ => {}
        }
    }
}
