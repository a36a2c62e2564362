//! What stands in for the implementations of a refused item, so that its uses give no further errors.

use proc_macro2::TokenStream;
use quote::quote;

use crate::{ast::Item, valid::Purpose};

/// Implements the traits with no check. It is only ever emitted beside a `compile_error!`.
pub(crate) fn fallback(item: &Item<'_>, purpose: Purpose) -> TokenStream {
    let krate = &item.attributes.krate;
    let name = item.name();
    let (parameters, arguments, clause) = item.original.generics.split_for_impl();
    let bounds: Vec<_> = clause.map(|clause| &clause.predicates).into_iter().flatten().collect();
    // A bound over every `'__any` that does not hold is no error here, as a plain one would be, but where it is used.
    let plain = quote! {
        #[automatically_derived]
        unsafe impl #parameters #krate::bytemuck::Zeroable for #name #arguments
        where
            #(#bounds,)*
            for<'__any> Self: #krate::__private::derive::Sized,
        {}

        #[automatically_derived]
        unsafe impl #parameters #krate::bytemuck::Pod for #name #arguments
        where
            #(#bounds,)*
            Self: 'static,
            for<'__any> Self: #krate::__private::derive::Copy,
        {}
    };
    let plain = (purpose == Purpose::Copy).then_some(plain);
    quote! {
        #plain

        #[automatically_derived]
        unsafe impl #parameters #krate::layout::DeviceLayout for #name #arguments
        where
            #(#bounds,)*
        {
            fn name() -> #krate::__private::derive::String {
                #krate::__private::derive::String::new()
            }
            fn layout() -> #krate::layout::Layout {
                #krate::__private::derive::no_layout()
            }
        }
    }
}
