//! Writes the implementations of a struct and the checks that only the compiler can decide.
//!
//! Every token it writes is the macro's own, placed where the program wrote the thing it speaks of: errors point at the
//! program, and the lints of the program's crate do not look at it. No name of the program is relied upon: paths start
//! at `memcore`'s own.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{LitStr, Path, spanned::Spanned};

use crate::{
    ast::{Field, Item},
    valid::Plan,
};

/// The implementations and checks for a struct.
pub(crate) fn device_copy(item: &Item<'_>, plan: &Plan<'_>) -> TokenStream {
    let writer = Writer::new(item);
    let implementations = writer.implementations();
    let exhaustive = writer.exhaustive(plan);
    let fields = writer.field_types(plan);
    let layout = plan.layout.then(|| writer.layout(plan));
    quote! {
        #implementations
        const _: () = {
            #exhaustive
            #fields
            #layout
        };
    }
}

struct Writer<'a> {
    krate: &'a Path,
    /// Where the helpers of this expansion live.
    support: TokenStream,
    /// The struct, as a token of the macro's own at the place of the program's.
    name: Ident,
}

impl<'a> Writer<'a> {
    fn new(item: &'a Item<'a>) -> Self {
        let krate = &item.attributes.krate;
        let mut name = item.name().clone();
        name.set_span(own(name.span()));
        Self {
            krate,
            support: quote!(#krate::__private::derive),
            name,
        }
    }

    fn implementations(&self) -> TokenStream {
        let Self {
            krate,
            support,
            name,
        } = self;
        // Over every `'__any`, the bound is no error where it does not hold: `copy_itself` says so in better words.
        quote! {
            #[automatically_derived]
            unsafe impl #krate::bytemuck::Zeroable for #name {}

            #[automatically_derived]
            unsafe impl #krate::bytemuck::Pod for #name
            where
                for<'__any> Self: #support::Copy,
            {}
        }
    }

    /// Names every field of the struct as it is in the end: a field that a later macro adds is a compile error.
    fn exhaustive(&self, plan: &Plan<'_>) -> TokenStream {
        let name = &self.name;
        let members = plan
            .fields
            .iter()
            .map(|judged| judged.field.member_at(self.name.span()));
        quote!(const _: fn(#name) = |#name { #(#members: _),* }: #name| {};)
    }

    /// Checks that the struct is `Copy` and each field plain data, by the types that the fields turn out to have.
    fn field_types(&self, plan: &Plan<'_>) -> TokenStream {
        let Self { support, name, .. } = self;
        let checks = plan
            .fields
            .iter()
            .filter(|judged| !judged.condemned)
            .map(|judged| {
                let value = self.value_of(judged.field);
                let start = own(judged.field.ty.span());
                quote_spanned!(start=> #support::Probe::new(#value).verify(#value);)
            });
        let members = plan
            .fields
            .iter()
            .map(|judged| judged.field.member_at(self.name.span()));
        let value = value_name(self.name.span());
        let span = self.name.span();
        let itself = quote_spanned!(span=> |#value: #name| #value);
        quote! {
            const _: fn() = || {
                use #support::{FieldCheck as _, CopyCheck as _};
                #support::Whole::new(|#value: #name| (#(#value.#members,)*)).verify_copy(#itself);
                #(#checks)*
            };
        }
    }

    /// Checks that the fields and nothing else make up the struct: one constant for the gap after each field.
    fn layout(&self, plan: &Plan<'_>) -> TokenStream {
        let Self { support, name, .. } = self;
        let taken: Vec<&str> = plan
            .fields
            .iter()
            .map(|judged| judged.field.name.as_str())
            .collect();
        let written_name = LitStr::new(&name.to_string(), name.span());
        let mut pads = PadNames::new(&taken);
        let fields = plan.fields.iter().enumerate().map(|(position, judged)| {
            let field = judged.field;
            let written_field = LitStr::new(&field.name, name.span());
            let pad = pads.name(position, field);
            let value = self.value_of(field);
            let member = field.member_at(own(field.ty.span()));
            quote!(#support::Field::new(#written_field, #pad, #support::offset_of!(#name, #member), #value))
        });
        let fields = quote!(#(#fields),*);
        let gaps = plan.fields.iter().enumerate().map(|(position, judged)| {
            let span = own(judged.field.ty.span());
            let end = end_of(judged.field.ty);
            let index = syn::LitInt::new(&position.to_string(), span);
            let call = quote_spanned!(span=> LAYOUT.no_gap_after);
            let argument = quote_spanned!(end=> (#index));
            quote!(const _: () = #call #argument;)
        });
        quote! {
            const LAYOUT: #support::Layout = #support::Layout::new::<#name>(#written_name, &[#fields]);
            #(#gaps)*
        }
    }

    /// A function from the struct to the value of one field, whose type the compiler infers. It spans the field's type.
    fn value_of(&self, field: &Field<'_>) -> TokenStream {
        let name = &self.name;
        let start = own(field.ty.span());
        let end = end_of(field.ty);
        let value = value_name(start);
        let member = field.member_at(end);
        quote_spanned!(start=> |#value: #name| #value.#member)
    }
}

/// Names for the padding fields that help lines propose, none of which the struct has already.
struct PadNames<'a> {
    taken: &'a [&'a str],
    next: usize,
}

impl<'a> PadNames<'a> {
    fn new(taken: &'a [&'a str]) -> Self {
        Self { taken, next: 0 }
    }

    /// The name for the padding after a field; none in a tuple struct.
    fn name(&mut self, position: usize, field: &Field<'_>) -> String {
        if matches!(field.member, syn::Member::Unnamed(_)) {
            return String::new();
        }
        self.next = self.next.max(position);
        loop {
            let name = format!("_pad{}", self.next);
            self.next += 1;
            if !self.taken.contains(&name.as_str()) {
                return name;
            }
        }
    }
}

/// The macro's own context at the place `span`.
fn own(span: Span) -> Span {
    Span::mixed_site().located_at(span)
}

/// The place of the last token of `tokens`; with `own(first.span())` it encloses the whole.
fn end_of(tokens: &impl ToTokens) -> Span {
    let last = tokens.to_token_stream().into_iter().last();
    own(last.map_or_else(Span::mixed_site, |last| match last {
        proc_macro2::TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    }))
}

fn value_name(span: Span) -> Ident {
    Ident::new("__memcore_value", span)
}
