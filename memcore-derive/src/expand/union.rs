//! A union of plain fields, each of which fills it.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::{Target, end_of, own, value_name};
use crate::{
    ast::Field,
    valid::{Judged, Parts},
};

pub(super) fn write(target: &Target<'_>, parts: &Parts<'_>) -> TokenStream {
    let span = target.name.span();
    let support = target.support(span);
    let (krate, ty) = (target.krate, target.ty(span));
    let implementations = target.is_for_copy().then(|| target.plain());
    let mut probes = TokenStream::new();
    let mut names: Vec<Ident> = Vec::new();
    let mut checks = TokenStream::new();
    let mut written_names = Vec::new();
    let union_name = target.written();
    for (position, Judged { field, .. }) in parts.fields.iter().enumerate() {
        let here = own(field.ty.span());
        let name = Target::probe_name(field, position);
        let (support_here, put) = (target.support(here), put(target, field));
        probes.extend(quote_spanned!(here=> let #name = #support_here::probe_put(#put);));
        names.push(name);
        let written = Literal::string(field.name.trim_start_matches("r#"));
        let start = own(field.start());
        let end = own(end_of(field.ty));
        let check = format_ident!("size_of_{}", field.name.trim_start_matches("r#"), span = start);
        let support_start = target.support(start);
        let function = quote_spanned!(start=> #support_start::fills_union);
        let arguments = quote_spanned!(end=> (#union_name, #written, #put));
        checks.extend(quote_spanned!(start=> const #check: () = #function #arguments;));
        written_names.push(written);
    }
    let verify = if target.is_for_copy() {
        let plain = Target::verify_plain(&parts.fields.iter().collect::<Vec<_>>(), &names);
        quote_spanned!(span=> #support::verify_copy::<#ty>(); #plain)
    } else {
        target.verify_device_copy()
    };
    let c_name = target.c_name();
    let pointee = quote!(#support::union_pointee(&<Self as #krate::layout::DeviceLayout>::name()));
    let body = quote! {
        use #support::{Classify as _, Describe as _};
        #probes
        #verify
        #support::union::<#ty>(#c_name, [#((#written_names, #names.memcore_describe())),*])
    };
    let device_layout = target.device_layout(&body, Some(pointee));
    let checks = parts.fixed.then_some(checks);
    quote! {
        #implementations
        const _: () = {
            #device_layout
            #checks
        };
    }
}

/// A function that makes the union from a field, whose type the compiler infers. Unlike reading one it is safe.
fn put(target: &Target<'_>, field: &Field<'_>) -> TokenStream {
    let start = own(field.ty.span());
    let value = value_name(start);
    let member = field.member_at(own(end_of(field.ty)));
    let mut name = target.name.clone();
    name.set_span(start);
    let ty = target.ty(start);
    quote_spanned!(start=> |#value| -> #ty { #name { #member: #value } })
}
