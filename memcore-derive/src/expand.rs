//! Writes the implementations for a struct, and the checks that only the compiler can decide.
//!
//! Every token it writes is the macro's own, placed where the program wrote the thing it speaks of: errors point at the
//! program, and the lints of the program's crate leave the expansion alone. Every path starts at `memcore`'s own, so that
//! no name of the program can take another's place.

use proc_macro2::{Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Member, Path, spanned::Spanned};

use crate::{
    ast::{Field, Item},
    valid::{Judged, Plan},
};

/// The implementations and the checks.
pub(crate) fn device_copy(item: &Item<'_>, plan: &Plan<'_>) -> TokenStream {
    let writer = Writer::new(item, plan);
    let implementations = writer.implementations();
    let types = writer.types();
    let layout = plan.fixed.then(|| writer.layout());
    quote! {
        #implementations
        const _: () = {
            #types
            #layout
        };
    }
}

struct Writer<'a> {
    krate: &'a Path,
    plan: &'a Plan<'a>,
    /// The struct's name, at its place.
    name: Ident,
}

impl<'a> Writer<'a> {
    fn new(item: &'a Item<'a>, plan: &'a Plan<'a>) -> Self {
        let krate = &item.attributes.krate;
        let mut name = item.name().clone();
        name.set_span(own(name.span()));
        Self { krate, plan, name }
    }

    fn implementations(&self) -> TokenStream {
        let Self { krate, name, .. } = self;
        let support = self.support(name.span());
        // A plain bound that does not hold would be an error here, in the compiler's words. One over every `'__any` is
        // not looked at until it is used, and `types` says in better words what is missing.
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

    /// Checks the struct as it is in the end: that no macro has added a field since, that it is `Copy`, and, by the type
    /// that it turns out to have, that each field is plain data.
    fn types(&self) -> TokenStream {
        let name = &self.name;
        let support = self.support(name.span());
        let members: Vec<_> = self.members().collect();
        let values: Vec<_> =
            (0..members.len()).map(|position| format_ident!("__memcore_{position}", span = name.span())).collect();
        let checks =
            self.plan.fields.iter().filter(|judged| !judged.condemned && !self.is_checked_by_layout(judged)).map(
                |judged| {
                    let take = self.take(judged.field);
                    let span = own(judged.field.ty.span());
                    let support = self.support(span);
                    quote_spanned!(span=> #support::probe(#take).memcore_classify().verify(#take);)
                },
            );
        let span = name.span();
        let verify = quote_spanned!(span=> memcore_verify_copy);
        quote! {
            const _: fn() = || {
                use #support::{Classify as _, VerifyCopy as _};
                #support::whole(|#name { #(#members: #values),* }: #name| (#(#values,)*)).#verify();
                #(#checks)*
            };
        }
    }

    /// Whether the layout asks for plain data on the way: one function less to compile for each number.
    fn is_checked_by_layout(&self, judged: &Judged<'_>) -> bool {
        self.plan.fixed && judged.is_number
    }

    /// Checks that the fields and nothing else make up the struct, in a constant for the gap after each.
    fn layout(&self) -> TokenStream {
        let name = &self.name;
        let support = self.support(name.span());
        let mut pads = PadNames::new(self.plan);
        let mut fields = TokenStream::new();
        let mut checks = TokenStream::new();
        for (position, judged) in self.plan.fields.iter().enumerate() {
            let field = judged.field;
            let written = Literal::string(&field.name);
            let pad = pads.next(field);
            let member = field.member_at(name.span());
            let take = self.take(field);
            let new = if self.is_checked_by_layout(judged) { quote!(plain) } else { quote!(new) };
            fields.extend(quote! {
                #support::Field::#new(#written, #pad, #support::offset_of!(#name, #member), #take),
            });
            let start = own(field.start());
            let end = own(end_of(field.ty));
            let check = format_ident!("padding_after_{}", field.name.trim_start_matches("r#"), span = start);
            let position = Literal::usize_unsuffixed(position);
            let support_here = self.support(start);
            let function = quote_spanned!(start=> #support_here::no_gap_after);
            let arguments = quote_spanned!(end=> (&LAYOUT, #position));
            checks.extend(quote_spanned!(start=> const #check: () = #function #arguments;));
        }
        let written = Literal::string(&name.to_string());
        // `offset_of!` names the fields in its own expansion, where that lint still looks.
        let deprecated = self.plan.fields.iter().any(|judged| judged.field.is_deprecated());
        let allow = deprecated.then(|| quote!(#[allow(deprecated)]));
        quote! {
            #allow
            const LAYOUT: #support::Layout = #support::Layout::new::<#name>(#written, &[#fields]);
            #checks
        }
    }

    /// A function that takes a field out of the struct, whose type the compiler infers. It spans the field's type.
    fn take(&self, field: &Field<'_>) -> TokenStream {
        let start = own(field.ty.span());
        let value = value_name(start);
        let member = field.member_at(own(end_of(field.ty)));
        let mut name = self.name.clone();
        name.set_span(start);
        quote_spanned!(start=> |#value: #name| #value.#member)
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

    fn members(&self) -> impl Iterator<Item = Member> {
        self.plan.fields.iter().map(|judged| judged.field.member_at(self.name.span()))
    }
}

/// Finds names for the padding that help lines propose, none of which the struct has already.
struct PadNames<'a> {
    plan: &'a Plan<'a>,
    number: usize,
}

impl<'a> PadNames<'a> {
    fn new(plan: &'a Plan<'a>) -> Self {
        Self { plan, number: 0 }
    }

    /// The name for padding after the next field; none in a tuple struct.
    fn next(&mut self, field: &Field<'_>) -> String {
        if matches!(field.member, Member::Unnamed(_)) {
            return String::new();
        }
        loop {
            let name = format!("_pad{}", self.number);
            self.number += 1;
            if self.plan.fields.iter().all(|judged| judged.field.name != name) {
                return name;
            }
        }
    }
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
