//! Collects every mistake of an item, so that all are said at once.

use proc_macro2::TokenStream;
use quote::ToTokens;

/// The mistakes found so far.
#[derive(Default)]
pub(crate) struct Report {
    errors: Vec<syn::Error>,
}

impl Report {
    /// Adds a mistake at `culprit`: what is wrong, and what to write instead.
    pub(crate) fn mistake(&mut self, culprit: impl ToTokens, wrong: impl AsRef<str>, help: impl AsRef<str>) {
        let text = format!("{}\nhelp: {}", wrong.as_ref(), help.as_ref());
        self.errors.push(syn::Error::new_spanned(culprit, text));
    }

    /// Adds a mistake that the parser found.
    pub(crate) fn parse_error(&mut self, error: syn::Error) {
        self.errors.push(error);
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// One `compile_error!` for each mistake, in the order of their discovery.
    pub(crate) fn into_compile_errors(self) -> TokenStream {
        self.errors.into_iter().map(syn::Error::into_compile_error).collect()
    }

    /// The texts alone, for tests.
    #[cfg(test)]
    pub(crate) fn texts(&self) -> Vec<String> {
        self.errors.iter().map(ToString::to_string).collect()
    }
}
