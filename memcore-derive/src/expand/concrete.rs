//! A struct whose types are all known: its layout is checked in const evaluation.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{Member, spanned::Spanned};

use super::{Target, allow_deprecated, end_of, own, peels};
use crate::{
    ast::Field,
    guess,
    valid::{Judged, Parts},
};

pub(super) fn write(target: &Target<'_>, parts: &Parts<'_>) -> TokenStream {
    let support = target.support(target.name.span());
    // What seems to be a number is checked and described by the layout alone, which saves the compiler time.
    let numbers: Vec<_> = parts
        .fields
        .iter()
        .map(|judged| {
            let asked = target.is_for_copy() && parts.fixed && !judged.condemned;
            asked.then(|| guess::number(judged.field.ty, &support)).flatten()
        })
        .collect();
    let others: Vec<_> =
        parts.fields.iter().zip(&numbers).filter(|(_, number)| number.is_none()).map(|(judged, _)| judged).collect();
    let implementations = match (target.is_for_copy(), parts.checked) {
        (false, _) => TokenStream::new(),
        (true, false) => target.plain(),
        (true, true) => {
            let ty = target.ty(target.name.span());
            let bits = quote!(#support::Bits<#ty, { #support::size_of::<#ty>() }>);
            target.checked(&bits, &is_valid(target, &others))
        }
    };
    let device_layout = target.device_layout(&layout_body(target, parts, &others), None);
    let layout = parts.fixed.then(|| layout(target, &parts.fields, &numbers));
    quote! {
        #implementations
        const _: () = {
            #device_layout
            #layout
        };
    }
}

/// Checks the struct as it is in the end: that no macro has added a field since, that it is `Copy`, and, by the type
/// that it turns out to have, that each field is plain data. Then says how it is laid out.
fn layout_body(target: &Target<'_>, parts: &Parts<'_>, others: &[&Judged<'_>]) -> TokenStream {
    let span = target.name.span();
    let support = target.support(span);
    let (probes, names) = target.probes(others);
    let whole = target.take_apart(&parts.fields);
    let verify = quote_spanned!(span=> memcore_verify_copy);
    let verify_each = match (target.is_for_copy(), parts.checked) {
        (false, _) => target.verify_device_copy(),
        (true, false) => Target::verify_plain(others, &names),
        (true, true) => TokenStream::new(),
    };
    let value = if parts.fixed {
        let c_name = target.c_name();
        quote!(#support::structure(&LAYOUT, #c_name, [#(#names.memcore_describe()),*]))
    } else {
        quote!(#support::no_layout())
    };
    quote! {
        use #support::{Classify as _, Describe as _, VerifyCopy as _};
        #support::whole(#whole).#verify();
        #probes
        #verify_each
        #value
    }
}

/// Checks the bytes of each field that may have invalid ones, by the type that it turns out to have.
fn is_valid(target: &Target<'_>, fields: &[&Judged<'_>]) -> TokenStream {
    let span = target.name.span();
    let support = target.support(span);
    let ty = target.ty(span);
    let (probes, names) = target.probes(fields);
    let bits = Ident::new("__memcore_bits", span);
    let checks = fields.iter().zip(&names).filter(|(judged, _)| !judged.condemned).map(|(judged, probe)| {
        let field = judged.field;
        let span = own(field.ty.span());
        let support = target.support(span);
        let peels = peels(field);
        let member = field.member_at(span);
        let written = Literal::string(field.name.trim_start_matches("r#"));
        let place = quote_spanned!(span=> #support::place(#bits, #support::offset_of!(#ty, #member), #written));
        quote_spanned!(span=> && #probe.memcore_classify().check(#probe.memcore_elements()#peels, #place))
    });
    let allow = allow_deprecated(fields.iter().copied());
    quote! {
        use #support::{Classify as _, Peel as _};
        #probes
        #allow
        let __memcore_valid = true #(#checks)*;
        __memcore_valid
    }
}

/// Checks that the fields and nothing else make up the struct, in a constant for the gap after each.
fn layout(target: &Target<'_>, judged: &[Judged<'_>], numbers: &[Option<TokenStream>]) -> TokenStream {
    let span = target.name.span();
    let (support, ty) = (target.support(span), target.ty(span));
    let mut pads = PadNames::new(judged);
    let mut fields = TokenStream::new();
    let mut checks = TokenStream::new();
    let gaps = guess::gaps(judged, target.repr);
    for (position, (Judged { field, .. }, may_have_gap)) in judged.iter().zip(&gaps).enumerate() {
        let written = Literal::string(&field.name);
        let pad = pads.next(field);
        let member = field.member_at(span);
        let take = target.take(field);
        let new = match &numbers[position] {
            // An error about the `_` of the field's type points at that type.
            Some(number) => quote_spanned!(own(field.ty.span())=> number::<#number, _, _>),
            None => quote!(new),
        };
        fields.extend(quote! {
            #support::Field::#new(#written, #pad, #support::offset_of!(#ty, #member), #take),
        });
        if !may_have_gap {
            continue;
        }
        let start = own(field.start());
        let end = own(end_of(field.ty));
        let check = format_ident!("padding_after_{}", field.name.trim_start_matches("r#"), span = start);
        let position = Literal::usize_unsuffixed(position);
        let support_here = target.support(start);
        let function = quote_spanned!(start=> #support_here::no_gap_after);
        let arguments = quote_spanned!(end=> (&LAYOUT, #position));
        checks.extend(quote_spanned!(start=> const #check: () = #function #arguments;));
    }
    let rest = gaps.iter().any(|may_have_gap| !may_have_gap).then(|| {
        let check = format_ident!("padding", span = span);
        quote_spanned!(span=> const #check: () = #support::no_other_gap(&LAYOUT, &[#(#gaps),*]);)
    });
    let written = target.written();
    // `offset_of!` names the fields in its own expansion, where that lint still looks.
    let allow = allow_deprecated(judged);
    quote! {
        #allow
        const LAYOUT: #support::Layout = #support::Layout::new::<#ty>(#written, &[#fields]);
        #checks
        #rest
    }
}

/// Finds names for the padding that help lines propose, none of which the struct has already.
struct PadNames<'a> {
    fields: &'a [Judged<'a>],
    number: usize,
}

impl<'a> PadNames<'a> {
    fn new(fields: &'a [Judged<'a>]) -> Self {
        Self { fields, number: 0 }
    }

    /// The name for padding after the next field; none in a tuple struct.
    fn next(&mut self, field: &Field<'_>) -> String {
        if matches!(field.member, Member::Unnamed(_)) {
            return String::new();
        }
        loop {
            let name = format!("_pad{}", self.number);
            self.number += 1;
            if self.fields.iter().all(|judged| judged.field.name != name) {
                return name;
            }
        }
    }
}
