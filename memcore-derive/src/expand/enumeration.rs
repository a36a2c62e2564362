//! An enum without data: checked when it comes back.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{quote, quote_spanned};

use super::{Target, own, value_name};
use crate::valid::Variants;

pub(super) fn write(target: &Target<'_>, plan: &Variants<'_>) -> TokenStream {
    let span = target.name.span();
    let support = target.support(span);
    let ty = target.ty(span);
    let integer = Ident::new(&plan.integer.to_string(), span);
    let integer = quote!(#support::#integer);
    // Each value is the compiler's: an attribute may have changed what is written beside the variant.
    let variants: Vec<_> = plan
        .variants
        .iter()
        .map(|variant| {
            let ident = variant.ident_at(span);
            quote!(#ty::#ident {})
        })
        .collect();
    let names = plan.variants.iter().map(|variant| {
        let name = variant.ident.to_string();
        Literal::string(name.trim_start_matches("r#"))
    });
    let allow = plan.variants.iter().any(crate::ast::Variant::is_deprecated).then(|| quote!(#[allow(deprecated)]));
    let implementations = target.is_for_copy().then(|| {
        let bits = Ident::new("__memcore_bits", span);
        target.checked(
            &integer,
            &quote! {
                #allow
                let __memcore_valid = #(#variants as #integer == *#bits)||*;
                __memcore_valid
            },
        )
    });
    let verify = if target.is_for_copy() {
        quote_spanned!(span=> #support::verify_copy::<#ty>();)
    } else {
        target.verify_device_copy()
    };
    let value = value_name(span);
    let c_name = target.c_name();
    let body = quote! {
        #verify
        #allow
        let _: fn(#ty) = |#value| match #value { #(#variants)|* => {} };
        #allow
        let __memcore_variants = [#((#names, #variants as #integer as #support::i128)),*];
        #support::enumeration::<#ty, #integer>(#c_name, __memcore_variants)
    };
    let pointee = quote!(#support::no_pointee());
    let device_layout = target.device_layout(&body, Some(pointee));
    // All of it where the integer is written.
    let start = own(plan.integer.span());
    let mut written = target.written();
    written.set_span(start);
    let (support, ty, repr) = (target.support(start), target.ty(start), Ident::new(&plan.integer.to_string(), start));
    let check = quote_spanned!(start=> #support::is_its_integer::<#ty, #support::#repr>(#written));
    quote! {
        #implementations
        const _: () = {
            #device_layout
            const padding_after_integer: () = #check;
        };
    }
}
