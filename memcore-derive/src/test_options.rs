//! Reads the options of `#[memcore::test(..)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Expr, LitInt, LitStr, Path,
    meta::{self, ParseNestedMeta},
    parse::Parser,
    parse_quote,
};

use crate::{attr, report::Report};

/// The options, each as the call that passes it on.
pub(crate) struct Options {
    /// Where `memcore` is found.
    pub(crate) krate: Path,
    /// `.devices(2)`, in the order of the attribute.
    pub(crate) calls: Vec<TokenStream>,
}

/// The most devices that a simulated machine has.
const MOST_DEVICES: u32 = 32;

impl Options {
    /// Reads every option to its end, so that a wrong one hides none of the next.
    pub(crate) fn read(tokens: TokenStream, report: &mut Report) -> Self {
        let mut reading = Reading::default();
        let parser = meta::parser(|meta| {
            reading.read(&meta).unwrap_or_else(|error| report.parse_error(error));
            Ok(())
        });
        let read = parser.parse2(tokens);
        read.unwrap_or_else(|error| report.parse_error(error));
        let krate = reading.krate.unwrap_or_else(|| parse_quote!(::memcore));
        let order = reading.order.map(|order| order.call(&krate));
        Self { calls: reading.calls.into_iter().chain(order).collect(), krate }
    }
}

#[derive(Default)]
struct Reading {
    krate: Option<Path>,
    calls: Vec<TokenStream>,
    order: Option<Order>,
    /// The options that were there, to find one that is given twice.
    seen: Vec<String>,
}

/// When queued work runs.
enum Order {
    Lazy,
    Eager,
    Random(u64),
    All,
}

impl Order {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "lazy" => Some(Self::Lazy),
            "eager" => Some(Self::Eager),
            "all" => Some(Self::All),
            other => other.strip_prefix("random:")?.parse().ok().map(Self::Random),
        }
    }

    fn call(&self, krate: &Path) -> TokenStream {
        let one = |order: TokenStream| quote!(.order(#krate::sim::Order::#order));
        match self {
            Self::Lazy => one(quote!(Lazy)),
            Self::Eager => one(quote!(Eager)),
            Self::Random(seed) => one(quote!(Random(#seed))),
            Self::All => quote!(.every_order()),
        }
    }
}

impl Reading {
    fn read(&mut self, meta: &ParseNestedMeta<'_>) -> syn::Result<()> {
        let name = meta.path.get_ident().map(ToString::to_string).unwrap_or_default();
        let is_twice = self.seen.contains(&name);
        self.seen.push(name.clone());
        match &*name {
            "crate" => self.krate = Some(attr::crate_path(meta)?),
            "devices" => {
                let value = attr::value(meta)?;
                let count = devices(value.clone());
                let count = count
                    .ok_or_else(|| wrong(meta, value, "not a number of devices from 1 to 32", "write `devices = 2`"))?;
                self.calls.push(quote!(.devices(#count)));
            }
            "memory" => {
                let value = attr::value(meta)?;
                let bytes = syn::parse2::<Expr>(value.clone())
                    .map_err(|_error| wrong(meta, value, "not a number of bytes", "write `memory = 64 << 20`"))?;
                self.calls.push(quote!(.memory(#bytes)));
            }
            "order" => {
                let value = attr::value(meta)?;
                let order = syn::parse2::<LitStr>(value.clone()).ok().and_then(|text| Order::parse(&text.value()));
                let help = "write `order = \"lazy\"`, `\"eager\"`, `\"random:SEED\"` with a number, or `\"all\"`";
                self.order = Some(order.ok_or_else(|| wrong(meta, value, "not an order", help))?);
            }
            "without_pools" | "without_concurrent_managed_access" => {
                let value = attr::value(meta)?;
                if !value.is_empty() {
                    let help = format!("write `{name}` alone");
                    return Err(wrong(meta, value, &format!("`{name}` takes no value"), &help));
                }
                let option = &meta.path;
                self.calls.push(quote!(.#option()));
            }
            _ => {
                attr::value(meta)?;
                return Err(meta.error(
                    "unknown option of `memcore::test`\n\
                     help: the options are `devices = 2`, `order = \"all\"`, `memory = 64 << 20`, `without_pools`, \
                     `without_concurrent_managed_access` and `crate = \"path::of::memcore\"`",
                ));
            }
        }
        if is_twice {
            return Err(meta.error(format!("`{name}` is given twice\nhelp: keep one of the two")));
        }
        Ok(())
    }
}

/// The number of devices, if it is one.
fn devices(value: TokenStream) -> Option<u32> {
    let count = syn::parse2::<LitInt>(value).ok()?.base10_parse().ok()?;
    (1..=MOST_DEVICES).contains(&count).then_some(count)
}

/// A mistake in a value, or in an option whose value is missing.
fn wrong(meta: &ParseNestedMeta<'_>, value: TokenStream, wrong: &str, help: &str) -> syn::Error {
    let text = format!("{wrong}\nhelp: {help}");
    if value.is_empty() { meta.error(text) } else { syn::Error::new_spanned(value, text) }
}
