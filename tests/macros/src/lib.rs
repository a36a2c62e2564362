//! Attribute macros that edit an item. Below a derive they do so after the derive has read it, which is then wrong about
//! what it has read: the tests show that no derive of memcore can be made to lie that way.

use proc_macro::{Delimiter, Group, TokenStream, TokenTree};

/// Adds `what` to what is between the braces of the item: `#[add_to_body(added: bool,)]`.
#[proc_macro_attribute]
pub fn add_to_body(what: TokenStream, item: TokenStream) -> TokenStream {
    edit_body(item, |body| body.into_iter().chain(what.clone()).collect())
}

/// Writes `what` in place of what is between the braces of the item.
#[proc_macro_attribute]
pub fn replace_body(what: TokenStream, item: TokenStream) -> TokenStream {
    edit_body(item, |_body| what.clone())
}

/// Writes `#[repr(what)]` above the item, in place of every `repr` that is there.
///
/// # Panics
///
/// If `what` is not what may stand there.
#[proc_macro_attribute]
pub fn replace_repr(what: TokenStream, item: TokenStream) -> TokenStream {
    let repr: TokenStream = format!("#[repr({what})]").parse().expect("an attribute");
    let mut tokens = item.into_iter().peekable();
    let mut kept = repr;
    while let Some(token) = tokens.next() {
        let is_repr = matches!(&token, TokenTree::Punct(punct) if punct.as_char() == '#')
            && tokens.peek().is_some_and(|next| next.to_string().starts_with("[repr"));
        if is_repr {
            tokens.next();
        } else {
            kept.extend([token]);
        }
    }
    kept
}

/// Writes `#[repr(C, align(16))]` above the item, in place of every `repr` that is there.
///
/// # Panics
///
/// Never.
#[proc_macro_attribute]
pub fn align_to_16(_what: TokenStream, item: TokenStream) -> TokenStream {
    replace_repr("C, align(16)".parse().expect("tokens"), item)
}

/// Does nothing.
#[proc_macro_attribute]
pub fn leave_alone(_what: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Does nothing, and reads an attribute of its own.
#[proc_macro_derive(Helped, attributes(helped))]
pub fn helped(_item: TokenStream) -> TokenStream {
    TokenStream::new()
}

fn edit_body(item: TokenStream, edit: impl Fn(TokenStream) -> TokenStream) -> TokenStream {
    item.into_iter()
        .map(|token| match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                TokenTree::Group(Group::new(Delimiter::Brace, edit(group.stream())))
            }
            other => other,
        })
        .collect()
}
