//! What stands in for the implementations of a refused item, so that its uses give no further errors.

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::Item;

/// Implements the traits with no check. It is only ever emitted beside a `compile_error!`.
pub(crate) fn device_copy(item: &Item<'_>) -> TokenStream {
    let krate = &item.attributes.krate;
    let name = item.name();
    let (parameters, arguments, clause) = item.original.generics.split_for_impl();
    let bounds: Vec<_> = clause.map(|clause| &clause.predicates).into_iter().flatten().collect();
    // A bound over every `'__any` that does not hold is no error here, as a plain one would be, but where it is used.
    quote! {
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
    }
}
