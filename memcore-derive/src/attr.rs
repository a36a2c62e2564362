//! Reads `#[repr(..)]` and `#[device_copy(..)]`, and names the attributes that may still edit the item.

use std::iter;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::{
    Attribute, Ident, LitStr, Meta, Path, Token, Type, meta::ParseNestedMeta, parenthesized, parse::Parse, parse_quote,
    punctuated::Punctuated,
};

use crate::{flaw::written, report::Report};

/// What the attributes of an item say.
pub(crate) struct Attributes {
    /// Where `memcore` is found: `::memcore`, or what `#[device_copy(crate = "path")]` says.
    pub(crate) krate: Path,
    pub(crate) repr: Repr,
    /// `checked`, where it is written.
    pub(crate) checked: Option<Path>,
    /// The types of `instances(..)`.
    pub(crate) instances: Vec<Type>,
    /// The attributes that may be macros, which would run after the derive.
    pub(crate) foreign: Vec<Path>,
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
    /// `u8` or another integer.
    pub(crate) integer: Option<Ident>,
}

/// The options of every `#[device_copy(..)]` of the item.
#[derive(Default)]
struct Options {
    krate: Option<Path>,
    checked: Option<Path>,
    instances: Vec<Type>,
    inert: Vec<Path>,
}

impl Attributes {
    pub(crate) fn read(attributes: &[Attribute], report: &mut Report) -> Self {
        let mut options = Options::default();
        let mut repr = Repr::default();
        for attribute in attributes {
            if attribute.path().is_ident("repr") {
                repr.read(attribute);
            } else if attribute.path().is_ident("device_copy") {
                // Every option is read to its end, so that a wrong one hides none of the next.
                let read = attribute.parse_nested_meta(|meta| {
                    options.read(&meta).unwrap_or_else(|error| report.parse_error(error));
                    Ok(())
                });
                read.unwrap_or_else(|error| report.parse_error(error));
            }
        }
        let Options { krate, checked, instances, inert } = options;
        let paths = attributes.iter().map(Attribute::path);
        let foreign = paths
            .filter(|path| !is_inert(path) && !inert.iter().any(|other| written(other) == written(path)))
            .cloned()
            .collect();
        Self { krate: krate.unwrap_or_else(|| parse_quote!(::memcore)), repr, checked, instances, foreign }
    }
}

impl Repr {
    /// These hints beside a `C`, as they are written: `C, packed(2)`.
    pub(crate) fn with_c(&self) -> String {
        let others = self.packed.iter().chain(&self.align);
        let others = others.map(|hint| format!(", {}", hint.to_token_stream().to_string().replace(' ', "")));
        iter::once("C".to_owned()).chain(others).collect()
    }

    /// Whether it is `packed` or `packed(1)`, under which nothing is aligned.
    pub(crate) fn is_fully_packed(&self) -> bool {
        match &self.packed {
            Some(Meta::List(list)) => list.tokens.to_string() == "1",
            Some(_) => true,
            None => false,
        }
    }

    /// Takes in one `#[repr(..)]`. What the compiler refuses by itself (an unknown or a malformed hint) is left to it.
    fn read(&mut self, attribute: &Attribute) {
        const INTEGERS: [&str; 12] =
            ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];
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
            } else if let Some(integer) = path.get_ident().filter(|ident| INTEGERS.iter().any(|name| ident == name)) {
                self.integer = Some(integer.clone());
            }
        }
    }
}

impl Options {
    /// Reads one option, and the whole of it even where it is wrong.
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        if meta.path.is_ident("crate") {
            self.read_crate(meta)
        } else if meta.path.is_ident("checked") {
            let rest = value(meta)?;
            if !rest.is_empty() {
                return Err(syn::Error::new_spanned(rest, "`checked` takes no value\nhelp: write `checked` alone"));
            }
            self.checked = Some(meta.path.clone());
            Ok(())
        } else if meta.path.is_ident("instances") {
            self.instances.extend(list::<Type>(meta, "instances(Pair<f32, u32>, Pair<u8, i8>)")?);
            Ok(())
        } else if meta.path.is_ident("inert") {
            self.inert.extend(list::<Path>(meta, "inert(serde, doc_helper)")?);
            Ok(())
        } else {
            value(meta)?;
            Err(meta.error(
                "unknown option of `device_copy`\n\
                 help: the options are `checked`, `instances(..)`, `inert(..)` and `crate = \"path::of::memcore\"`",
            ))
        }
    }

    fn read_crate(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let path = crate_path(meta);
        if self.krate.is_some() {
            return Err(meta.error("`crate` is given twice\nhelp: keep one of the two"));
        }
        self.krate = Some(path?);
        Ok(())
    }
}

/// The path of `crate = "path"`.
pub(crate) fn crate_path(meta: &ParseNestedMeta<'_>) -> syn::Result<Path> {
    let value: TokenStream = value(meta)?;
    let path = syn::parse2::<LitStr>(value.clone()).and_then(|text| text.parse_with(Path::parse_mod_style));
    path.map_err(|_error| {
        syn::Error::new_spanned(
            value,
            "not a path in quotes\nhelp: write where memcore is: `crate = \"path::of::memcore\"`",
        )
    })
}

/// What follows a key, up to the next comma: nothing, `= value` or `(..)`. The `=` is left out.
pub(crate) fn value(meta: &ParseNestedMeta<'_>) -> syn::Result<TokenStream> {
    meta.input.parse::<Option<Token![=]>>()?;
    let mut tokens = TokenStream::new();
    while !meta.input.is_empty() && !meta.input.peek(Token![,]) {
        tokens.extend([meta.input.parse::<TokenTree>()?]);
    }
    Ok(tokens)
}

/// The list in parentheses that follows a key.
fn list<T: Parse>(meta: &ParseNestedMeta<'_>, example: &str) -> syn::Result<Vec<T>> {
    if !meta.input.peek(syn::token::Paren) {
        value(meta)?;
        return Err(meta.error(format!("a list in parentheses is missing\nhelp: write `{example}`")));
    }
    let tokens;
    parenthesized!(tokens in meta.input);
    let read = tokens.parse_terminated(T::parse, Token![,]);
    // What is left unread would be an error of its own.
    tokens.parse::<TokenStream>()?;
    let read = read.map_err(|error| syn::Error::new(error.span(), format!("{error}\nhelp: write `{example}`")))?;
    Ok(read.into_iter().collect())
}

/// Whether an attribute is known to leave the item as it is: the language's own, whose names no import can take. Those of
/// tools are not: a program may have a module named `clippy`.
fn is_inert(path: &Path) -> bool {
    const INERT: [&str; 14] = [
        "device_copy",
        "repr",
        "doc",
        "cfg",
        "cfg_attr",
        "allow",
        "expect",
        "warn",
        "deny",
        "forbid",
        "must_use",
        "deprecated",
        "non_exhaustive",
        "automatically_derived",
    ];
    INERT.iter().any(|name| path.is_ident(name))
}

/// Says that a field or a variant takes no option.
pub(crate) fn refuse_on_part(attributes: &[Attribute], part: &str, report: &mut Report) {
    for attribute in attributes {
        if attribute.path().is_ident("device_copy") {
            report.mistake(attribute, format!("`device_copy` has no option for a {part}"), "write it above the type");
        }
    }
}

/// Says of each attribute that may be a macro that the derive cannot trust what it has read.
pub(crate) fn refuse_foreign(attributes: &Attributes, why: &str, report: &mut Report) {
    for path in &attributes.foreign {
        let name = written(path);
        let help = if path.is_ident("derive") {
            // A program may import a macro of that name.
            "put it above, or write both in one `#[derive(..)]`".to_owned()
        } else {
            format!(
                "put the derive below it; or, if another derive reads it and no macro, write \
                 `#[device_copy(inert({name}))]`"
            )
        };
        report.mistake(path, format!("`#[{name}]` may still change {why}, after the derive has judged it"), help);
    }
}
