//! Reads `#[repr(..)]` and `#[device_copy(..)]`.

use std::iter;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, LitStr, Meta, Path, Token, meta::ParseNestedMeta, parse_quote, punctuated::Punctuated};

use crate::report::Report;

/// What the attributes of an item say.
pub(crate) struct Attributes {
    /// Where `memcore` is found: `::memcore`, or what `#[device_copy(crate = "path")]` says.
    pub(crate) krate: Path,
    pub(crate) repr: Repr,
}

/// The parts of every `repr` of the item that decide its layout; each keeps the tokens that an error points at.
#[derive(Default)]
pub(crate) struct Repr {
    pub(crate) c: bool,
    pub(crate) transparent: bool,
    /// `packed` or `packed(N)`.
    pub(crate) packed: Option<Meta>,
    /// `align(N)`.
    pub(crate) align: Option<Meta>,
}

impl Attributes {
    pub(crate) fn read(attributes: &[Attribute], report: &mut Report) -> Self {
        let mut krate = None;
        let mut repr = Repr::default();
        for attribute in attributes {
            if attribute.path().is_ident("repr") {
                repr.read(attribute);
            } else if attribute.path().is_ident("device_copy") {
                // Every option is read to its end, so that a wrong one hides none of the next.
                let read = attribute.parse_nested_meta(|meta| {
                    read_option(&meta, &mut krate).unwrap_or_else(|error| report.parse_error(error));
                    Ok(())
                });
                read.unwrap_or_else(|error| report.parse_error(error));
            }
        }
        Self { krate: krate.unwrap_or_else(|| parse_quote!(::memcore)), repr }
    }
}

impl Repr {
    /// These hints beside a `C`, as they are written: `C, packed(2)`.
    pub(crate) fn with_c(&self) -> String {
        let others = self.packed.iter().chain(&self.align);
        let others = others.map(|hint| format!(", {}", hint.to_token_stream().to_string().replace(' ', "")));
        iter::once("C".to_owned()).chain(others).collect()
    }

    /// Takes in one `#[repr(..)]`. What the compiler refuses by itself (an unknown or a malformed hint) is left to it.
    fn read(&mut self, attribute: &Attribute) {
        let hints = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        for hint in hints.into_iter().flatten() {
            let path = hint.path();
            if path.is_ident("C") {
                self.c = true;
            } else if path.is_ident("transparent") {
                self.transparent = true;
            } else if path.is_ident("packed") {
                self.packed = Some(hint);
            } else if path.is_ident("align") {
                self.align = Some(hint);
            }
        }
    }
}

/// Reads one `key = value` of `#[device_copy(..)]`.
fn read_option(meta: &ParseNestedMeta<'_>, krate: &mut Option<Path>) -> syn::Result<()> {
    if !meta.path.is_ident("crate") {
        value(meta)?;
        return Err(
            meta.error("unknown option of `device_copy`\nhelp: the one option is `crate = \"path::of::memcore\"`")
        );
    }
    if krate.is_some() {
        value(meta)?;
        return Err(meta.error("`crate` is given twice\nhelp: keep one of the two"));
    }
    let value: TokenStream = value(meta)?;
    let path = syn::parse2::<LitStr>(value.clone()).and_then(|text| text.parse_with(Path::parse_mod_style));
    let path = path.map_err(|_error| {
        syn::Error::new_spanned(
            value,
            "not a path in quotes\nhelp: write where memcore is: `crate = \"path::of::memcore\"`",
        )
    })?;
    *krate = Some(path);
    Ok(())
}

/// What follows a key, up to the next comma: nothing, `= value` or `(..)`. The `=` is left out.
fn value(meta: &ParseNestedMeta<'_>) -> syn::Result<TokenStream> {
    meta.input.parse::<Option<Token![=]>>()?;
    let mut tokens = TokenStream::new();
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        tokens.extend([meta.input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// Says that a field takes no option.
pub(crate) fn refuse_on_field(attributes: &[Attribute], report: &mut Report) {
    for attribute in attributes {
        if attribute.path().is_ident("device_copy") {
            report.mistake(attribute, "`device_copy` has no option for a field", "write it above the struct");
        }
    }
}
