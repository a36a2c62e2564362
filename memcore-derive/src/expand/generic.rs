//! A struct with parameters, which has no padding whatever they are: checked once, for all of them.

use std::slice;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{GenericParam, spanned::Spanned};

use super::{Target, allow_deprecated, own, peels};
use crate::{
    ast::Item,
    params::Params,
    valid::{Judged, Parts, Proof, Purpose},
};

pub(super) fn write(
    item: &Item<'_>,
    params: &Params<'_>,
    proof: Proof,
    parts: &Parts<'_>,
    purpose: Purpose,
) -> TokenStream {
    let (_, arguments, _) = item.original.generics.split_for_impl();
    let target = Target::new(item, purpose, arguments.to_token_stream());
    let span = target.name.span();
    let (krate, support, ty) = (target.krate, target.support(span), target.ty(span));
    let parameters = params.header();
    let held = |ident: &Ident, bounds: &[TokenStream]| {
        if params.held.contains(&ident) { bounds.to_vec() } else { Vec::new() }
    };
    let (pod, described) = (quote!(#krate::bytemuck::Pod), quote!(#krate::layout::DeviceLayout));
    let plain = params.clause(|ident| held(ident, slice::from_ref(&pod)));
    let copy = target.is_for_copy().then(|| {
        let checks = checks(&target, parts, proof);
        // What the implementations ask of the whole, here in terms of the parameters.
        let fields = params.clause(|ident| {
            let mut bounds = held(ident, slice::from_ref(&pod));
            bounds.push(quote!('static));
            bounds
        });
        let copy = params.clause(|_| vec![quote!(#support::Copy)]);
        quote! {
            #[automatically_derived]
            unsafe impl #parameters #krate::bytemuck::Zeroable for #ty
            where
                #plain
                Self: 'static,
            {}

            #[automatically_derived]
            unsafe impl #parameters #krate::bytemuck::Pod for #ty
            where
                #plain
                Self: 'static,
                for<'__any> Self: #support::Copy,
            {}

            const _: () = {
                fn __memcore_fields #parameters()
                where
                    #fields
                {
                    #checks
                }

                fn __memcore_copy #parameters()
                where
                    #copy
                {
                    #support::verify_copy::<#ty>();
                }
            };
        }
    });
    let layout_bounds = match purpose {
        Purpose::Copy => params.clause(|ident| held(ident, &[pod.clone(), described.clone()])),
        Purpose::Layout => {
            let bounds = params.clause(|ident| held(ident, slice::from_ref(&described)));
            quote!(#bounds Self: #krate::DeviceCopy,)
        }
    };
    let (name, body) = (name(&target, params), layout_body(&target, parts));
    quote! {
        #copy

        #[automatically_derived]
        unsafe impl #parameters #krate::layout::DeviceLayout for #ty
        where
            #layout_bounds
        {
            fn name() -> #support::String {
                #name
            }
            fn layout() -> #krate::layout::Layout {
                #body
            }
        }
    }
}

/// Checks what no parameter changes: that no macro has added a field, that every field is plain data, and that there is
/// no padding.
fn checks(target: &Target<'_>, parts: &Parts<'_>, proof: Proof) -> TokenStream {
    let span = target.name.span();
    let support = target.support(span);
    let fields: Vec<_> = parts.fields.iter().collect();
    let (probes, names) = target.probes(&fields);
    let whole = target.take_apart(&parts.fields);
    let plain = Target::verify_plain(&fields, &names);
    let same = (proof == Proof::OneType).then(|| one_type(&parts.fields, &names));
    quote! {
        use #support::{Classify as _, NotPhantom as _, Peel as _};
        let _ = #support::whole(#whole);
        #probes
        #plain
        #same
    }
}

/// Statements that compile if the fields that hold something are of one type, and arrays of it.
fn one_type(fields: &[Judged<'_>], probes: &[Ident]) -> TokenStream {
    let first = fields.iter().zip(probes).find(|(judged, _)| !crate::params::is_phantom(judged.field.ty));
    let Some((Judged { field, .. }, probe)) = first else { return TokenStream::new() };
    let span = own(field.ty.span());
    let peels_first = peels(field);
    let first = quote_spanned!(span=> #probe.memcore_elements()#peels_first);
    let first_name = Ident::new("__memcore_first", Span::mixed_site());
    let compare = |(judged, probe): (&Judged<'_>, &Ident)| {
        let span = own(judged.field.ty.span());
        let peels = peels(judged.field);
        quote_spanned!(span=> #probe.memcore_elements()#peels.memcore_hold().verify(#probe.memcore_elements()#peels, #first_name);)
    };
    let compared = fields.iter().zip(probes).filter(|(judged, _)| !judged.condemned).map(compare);
    quote! {
        let #first_name = #first;
        #(#compared)*
    }
}

/// The name of an instance in C: that of the struct, and of each type and number that sets it apart.
fn name(target: &Target<'_>, params: &Params<'_>) -> TokenStream {
    let Target { krate, name, .. } = target;
    let support = target.support(name.span());
    let arguments = params.telling().map(|parameter| match parameter {
        GenericParam::Const(parameter) => {
            let ident = &parameter.ident;
            quote!(#support::argument(#ident))
        }
        GenericParam::Type(parameter) => {
            let ident = &parameter.ident;
            quote!(<#ident as #krate::layout::DeviceLayout>::name())
        }
        GenericParam::Lifetime(parameter) => parameter.to_token_stream(),
    });
    let name = name.to_string();
    let name = name.trim_start_matches("r#");
    quote!(#support::instance_name(#name, &[#(#arguments),*]))
}

fn layout_body(target: &Target<'_>, parts: &Parts<'_>) -> TokenStream {
    let span = target.name.span();
    let (krate, support, ty) = (target.krate, target.support(span), target.ty(span));
    if !parts.fixed {
        return quote!(#support::no_layout());
    }
    let fields: Vec<_> = parts.fields.iter().collect();
    let (probes, names) = target.probes(&fields);
    let whole = target.take_apart(&parts.fields);
    let described = parts.fields.iter().zip(&names).map(|(Judged { field, .. }, probe)| {
        let member = field.member_at(span);
        let written = field.name.trim_start_matches("r#");
        quote!((#written, #support::offset_of!(#ty, #member), #probe.memcore_describe()))
    });
    let described_fields = format_ident!("__memcore_fields", span = span);
    let allow = allow_deprecated(&parts.fields);
    quote! {
        use #support::Describe as _;
        let _ = #support::whole(#whole);
        #probes
        #allow
        let #described_fields = [#(#described),*];
        #support::generic_structure::<#ty>(<Self as #krate::layout::DeviceLayout>::name(), #described_fields)
    }
}
