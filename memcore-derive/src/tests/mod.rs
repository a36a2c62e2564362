//! What tokens alone decide. What the compiler decides is tested by the programs in `tests/ui/derive`.

mod expansion;
mod mistakes;

use proc_macro2::TokenStream;
use syn::DeriveInput;

use crate::{
    ast::Item,
    derive,
    report::Report,
    valid::{self, Purpose},
};

fn item(tokens: TokenStream) -> DeriveInput {
    syn::parse2(tokens).expect("a struct, enum or union")
}

/// The texts of all mistakes that the tokens of an item show.
fn mistakes(tokens: TokenStream) -> Vec<String> {
    let input = item(tokens);
    let mut report = Report::default();
    valid::judge(&Item::read(&input, &mut report), Purpose::Copy, &mut report);
    report.texts()
}

fn expansion(tokens: TokenStream) -> String {
    derive(&item(tokens), Purpose::Copy).to_string()
}
