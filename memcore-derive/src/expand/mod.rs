//! Writes the implementations for an item, and the checks that only the compiler can decide.
//!
//! Every token it writes is the macro's own, placed where the program wrote the thing it speaks of: errors point at the
//! program, and the lints of the program's crate leave the expansion alone. Every path starts at `memcore`'s own, so that
//! no name of the program can take another's place.

mod concrete;
mod enumeration;
mod generic;
mod union;

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Member, Path, spanned::Spanned};

use crate::{
    ast::{Field, Item},
    attr::Repr,
    params,
    valid::{Judged, Parts, Plan, Purpose, Subjects},
};

/// The implementations and the checks.
pub(crate) fn expand(item: &Item<'_>, plan: &Plan<'_>, purpose: Purpose) -> TokenStream {
    let each = |parts: &Parts<'_>, write: fn(&Target<'_>, &Parts<'_>) -> TokenStream| match &parts.subjects {
        Subjects::Itself => write(&Target::new(item, purpose, TokenStream::new()), parts),
        Subjects::Listed(instances) => instances
            .iter()
            .map(|arguments| write(&Target::new(item, purpose, arguments.to_token_stream()), parts))
            .collect(),
        Subjects::All(params, proof) => generic::write(item, params, *proof, parts, purpose),
    };
    match plan {
        Plan::Struct(parts) => each(parts, concrete::write),
        Plan::Union(parts) => each(parts, union::write),
        Plan::Enum(variants) => enumeration::write(&Target::new(item, purpose, TokenStream::new()), variants),
    }
}

/// The type that is written for.
struct Target<'a> {
    krate: &'a Path,
    repr: &'a Repr,
    purpose: Purpose,
    /// The item's name, at its place.
    name: Ident,
    /// What follows the name: `<f32, 4>`, or nothing.
    arguments: TokenStream,
}

impl<'a> Target<'a> {
    fn new(item: &'a Item<'a>, purpose: Purpose, arguments: TokenStream) -> Self {
        let mut name = item.name().clone();
        name.set_span(own(name.span()));
        Self { krate: &item.attributes.krate, repr: &item.attributes.repr, purpose, name, arguments }
    }

    fn is_for_copy(&self) -> bool {
        self.purpose == Purpose::Copy
    }

    /// The type, with its name at a place.
    fn ty(&self, span: Span) -> TokenStream {
        let mut name = self.name.clone();
        name.set_span(span);
        let arguments = &self.arguments;
        quote!(#name #arguments)
    }

    /// The path of the helpers, at a place.
    fn support(&self, span: Span) -> TokenStream {
        let krate = self.krate;
        let path = quote!(#krate::__private::derive);
        path.into_iter()
            .map(|mut token| {
                token.set_span(span);
                token
            })
            .collect()
    }

    /// The item's name for the texts of errors: `Pair<f32, u32>`.
    fn written(&self) -> Literal {
        Literal::string(&crate::flaw::written(&self.ty(self.name.span())))
    }

    /// The name of the type in C, of which the arguments are part.
    fn c_name(&self) -> Literal {
        let text = self.ty(self.name.span()).to_string();
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let words: Vec<_> = words.filter(|word| !word.is_empty() && *word != "r").collect();
        Literal::string(&words.join("_"))
    }

    /// A function that takes a field out of the struct, whose type the compiler infers. It spans the field's type.
    fn take(&self, field: &Field<'_>) -> TokenStream {
        let start = own(field.ty.span());
        let value = value_name(start);
        let member = field.member_at(own(end_of(field.ty)));
        let ty = self.ty(start);
        quote_spanned!(start=> |#value: #ty| #value.#member)
    }

    /// The variable that holds what stands for a field, at the field's type.
    fn probe_name(field: &Field<'_>, position: usize) -> Ident {
        format_ident!("__memcore_field_{position}", span = own(field.ty.span()))
    }

    /// `let` statements for what stands for each field, and the variables.
    fn probes(&self, fields: &[&Judged<'_>]) -> (TokenStream, Vec<Ident>) {
        let mut statements = TokenStream::new();
        let mut names = Vec::with_capacity(fields.len());
        for (position, Judged { field, .. }) in fields.iter().enumerate() {
            let span = own(field.ty.span());
            let name = Self::probe_name(field, position);
            let support = self.support(span);
            let take = self.take(field);
            statements.extend(quote_spanned!(span=> let #name = #support::probe(#take);));
            names.push(name);
        }
        (statements, names)
    }

    /// Statements that compile if each field is plain data.
    fn verify_plain(fields: &[&Judged<'_>], probes: &[Ident]) -> TokenStream {
        let verify = |(judged, probe): (&&Judged<'_>, &Ident)| {
            let span = own(judged.field.ty.span());
            // From the start of the type to its end.
            let types = quote_spanned!(own(end_of(judged.field.ty))=> .types);
            quote_spanned!(span=> #probe.memcore_classify().verify(#probe #types);)
        };
        fields.iter().zip(probes).filter(|(judged, _)| !judged.condemned).map(verify).collect()
    }

    /// A closure that takes the whole struct apart, so that no macro can have added a field to it.
    fn take_apart(&self, fields: &[Judged<'_>]) -> TokenStream {
        let span = self.name.span();
        let (name, ty) = (&self.name, self.ty(span));
        let members: Vec<Member> = fields.iter().map(|judged| judged.field.member_at(span)).collect();
        let values: Vec<_> =
            (0..members.len()).map(|position| format_ident!("__memcore_{position}", span = span)).collect();
        quote!(|#name { #(#members: #values),* }: #ty| (#(#values,)*))
    }

    /// Implements `DeviceLayout` for a type without parameters.
    ///
    /// `pointee` is what a pointer to it is declared with, where that is not the struct of its name.
    fn device_layout(&self, body: &TokenStream, pointee: Option<TokenStream>) -> TokenStream {
        let Self { krate, name, .. } = self;
        let support = self.support(name.span());
        let (ty, c_name) = (self.ty(name.span()), self.c_name());
        let pointee = pointee.map(|text| {
            quote! {
                fn pointee() -> #support::String {
                    #text
                }
            }
        });
        quote! {
            #[automatically_derived]
            unsafe impl #krate::layout::DeviceLayout for #ty {
                fn name() -> #support::String {
                    #support::c_name(#c_name)
                }
                fn layout() -> #krate::layout::Layout {
                    #body
                }
                #pointee
            }
        }
    }

    /// A statement that compiles if the type has the traits of device data already.
    fn verify_device_copy(&self) -> TokenStream {
        let span = self.name.span();
        let (support, ty) = (self.support(span), self.ty(span));
        quote_spanned!(span=> #support::verify_device_copy::<#ty>();)
    }

    /// Implements `Zeroable` and `Pod` for a type without parameters.
    fn plain(&self) -> TokenStream {
        let Self { krate, name, .. } = self;
        let support = self.support(name.span());
        let ty = self.ty(name.span());
        // A plain bound that does not hold would be an error here, in the compiler's words. One over every `'__any` is
        // not looked at until it is used, and the checks say in better words what is missing.
        quote! {
            #[automatically_derived]
            unsafe impl #krate::bytemuck::Zeroable for #ty {}

            #[automatically_derived]
            unsafe impl #krate::bytemuck::Pod for #ty
            where
                for<'__any> Self: #support::Copy,
            {}
        }
    }

    /// Implements the traits of data that is checked when it comes back, for a type without parameters.
    fn checked(&self, bits: &TokenStream, is_valid: &TokenStream) -> TokenStream {
        let Self { krate, name, .. } = self;
        let support = self.support(name.span());
        let ty = self.ty(name.span());
        let argument = Ident::new("__memcore_bits", name.span());
        quote! {
            #[automatically_derived]
            unsafe impl #krate::bytemuck::NoUninit for #ty
            where
                for<'__any> Self: #support::Copy,
            {}

            #[automatically_derived]
            unsafe impl #krate::bytemuck::CheckedBitPattern for #ty
            where
                for<'__any> Self: #support::Copy,
            {
                type Bits = #bits;
                fn is_valid_bit_pattern(#argument: &Self::Bits) -> #support::bool {
                    #is_valid
                }
            }

            #[automatically_derived]
            unsafe impl #support::Unfit for #ty {
                type Reason = #support::Checked;
            }
        }
    }
}

/// An attribute for an item that names one of `fields`, if naming one is a lint.
fn allow_deprecated<'f>(fields: impl IntoIterator<Item = &'f Judged<'f>>) -> Option<TokenStream> {
    let deprecated = fields.into_iter().any(|judged| judged.field.is_deprecated());
    deprecated.then(|| quote!(#[allow(deprecated)]))
}

/// As many calls that look into an array as the field's type may need: an alias may hide one or two.
fn peels(field: &Field<'_>) -> TokenStream {
    let span = own(end_of(field.ty));
    (0..params::depth(field.ty) + 2).map(|_| quote_spanned!(span=> .memcore_peel())).collect()
}

/// The macro's own context at the place `span`.
fn own(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// The place where `tokens` end. An expression from `start` to there spans them all.
fn end_of(tokens: &impl ToTokens) -> Span {
    match tokens.to_token_stream().into_iter().last() {
        Some(TokenTree::Group(group)) => group.span_close(),
        Some(last) => last.span(),
        None => Span::call_site(),
    }
}

/// A name that no constant of the program has, which would turn the parameter into a pattern.
fn value_name(span: Span) -> Ident {
    Ident::new("__memcore_value", span)
}
