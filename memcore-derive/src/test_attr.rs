//! `#[memcore::test]`: checks the function, and writes the test that runs it.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{
    Attribute, Expr, ExprLit, FnArg, Ident, ItemFn, Lit, Meta, MetaNameValue, Safety, Signature, Token, Type,
    punctuated::Punctuated, spanned::Spanned,
};

use crate::{report::Report, test_options::Options};

/// The test, or what is wrong.
pub(crate) fn expand(options: TokenStream, item: TokenStream) -> TokenStream {
    let mut report = Report::default();
    let options = Options::read(options, &mut report);
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            // What is no function at all is said so; a mistake inside one is the parser's to tell.
            if is_function(item) {
                report.parse_error(error);
            } else {
                let help = "put it above `fn name() { .. }`";
                report.parse_error(syn::Error::new(
                    error.span(),
                    format!("`memcore::test` is for functions\nhelp: {help}"),
                ));
            }
            return report.into_compile_errors();
        }
    };
    let takes_context = check(&function.attrs, &function.sig, &mut report);
    if report.is_empty() { write(&options, &function, takes_context) } else { report.into_compile_errors() }
}

/// Whether the tokens hold a `fn`, outside all brackets.
fn is_function(item: TokenStream) -> bool {
    item.into_iter().any(|token| matches!(token, TokenTree::Ident(ident) if ident == "fn"))
}

/// Finds what a test cannot be; the type of its argument, if it takes one.
fn check<'f>(attributes: &[Attribute], signature: &'f Signature, report: &mut Report) -> Option<&'f Type> {
    let Signature { constness, asyncness, safety, abi, generics, inputs, .. } = signature;
    let no_word = |word: &dyn ToTokens, wrong: &str, help: &str, report: &mut Report| {
        report.mistake(word, format!("a test cannot be {wrong}"), help);
    };
    if let Some(word) = asyncness {
        let help = "leave `async` out, and run what is asynchronous in an executor: in tokio, `Runtime::block_on`";
        no_word(word, "`async`", help, report);
    }
    if let Safety::Unsafe(word) = safety {
        no_word(word, "`unsafe`", "leave `unsafe` out, and write an `unsafe` block inside", report);
    }
    if let Some(word) = constness {
        no_word(word, "`const`", "leave `const` out", report);
    }
    if let Some(word) = abi {
        no_word(word, "of another language's ABI", "leave `extern` out", report);
    }
    if !generics.params.is_empty() {
        let help = "leave the parameters out, and call a generic function from a test for each type";
        no_word(&generics.params, "generic", help, report);
    }
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("test")) {
        report.mistake(attribute, "`#[memcore::test]` makes the function a `#[test]` already", "leave `#[test]` out");
    }
    let help = "write no argument, or one: `context: &Context`";
    if let Some(second) = inputs.iter().nth(1) {
        report.mistake(second, "a test takes one argument at most", help);
    }
    match inputs.first()? {
        FnArg::Receiver(receiver) => {
            report.mistake(receiver, "a test is no method", help);
            None
        }
        FnArg::Typed(argument) => {
            let is_shared = matches!(&*argument.ty, Type::Reference(reference) if reference.mutability.is_none());
            if !is_shared {
                report.mistake(&argument.ty, "a test's argument is its context, borrowed", help);
            }
            Some(&argument.ty)
        }
    }
}

/// Writes the test: the function goes inside it, under its own name.
fn write(options: &Options, function: &ItemFn, argument: Option<&Type>) -> TokenStream {
    let Options { krate, calls } = options;
    let ItemFn { attrs, vis, sig, block, .. } = function;
    let name = &sig.ident;
    // Names that the function's own cannot be mixed up with.
    let [settings, context] = ["settings", "context"].map(|name| Ident::new(name, Span::mixed_site()));
    let body = match argument {
        // The type's own place, for an error about it.
        Some(ty) => {
            let argument = quote_spanned!(ty.span()=> <#ty as #krate::__private::test::Argument<'_>>::of(#context));
            quote!(|#context| #name(#argument))
        }
        None => quote!(|_| #name()),
    };
    let expected = attrs.iter().filter_map(|attribute| expected_panic(attribute, &settings));
    // The test's place is the function's, for what is said of the test.
    let run = quote_spanned!(name.span()=> #krate::__private::test::run(&#settings, #body));
    quote! {
        #(#attrs)*
        #[::core::prelude::v1::test]
        #vis fn #name() {
            #sig #block
            let #settings = #krate::__private::test::Options::new() #(#calls)*;
            #(#expected)*
            #run
        }
    }
}

/// What passes on that the body is to panic, if the attribute says so, under a `cfg_attr` too.
fn expected_panic(attribute: &Attribute, settings: &Ident) -> Option<TokenStream> {
    if attribute.path().is_ident("cfg_attr") {
        let parts = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
        let mut parts = parts.iter();
        let condition = parts.next()?;
        let text = parts.find_map(expected_text)?;
        return Some(quote! {
            #[cfg(#condition)]
            let #settings = #settings.should_panic(#text);
        });
    }
    let text = expected_text(&attribute.meta)?;
    Some(quote!(let #settings = #settings.should_panic(#text);))
}

/// The text that the panic of a `should_panic` is to have in it.
fn expected_text(meta: &Meta) -> Option<String> {
    if !meta.path().is_ident("should_panic") {
        return None;
    }
    let value = match meta {
        Meta::Path(_) => None,
        Meta::NameValue(pair) => text_of(&pair.value),
        Meta::List(list) => list.parse_args::<MetaNameValue>().ok().and_then(|pair| text_of(&pair.value)),
    };
    Some(value.unwrap_or_default())
}

fn text_of(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        _ => None,
    }
}
