//! Borrows of them shrink.
use memcore::prelude::*;

fn shorter<'short, 'long: 'short, 'scope, 'env>(scope: &'long Scope<'scope, 'env>) -> &'short Scope<'scope, 'env> {
    scope
}

fn many<'short, 'long: 'short, 'env>(all: &'long memcore::Scopes<'env>) -> &'short memcore::Scopes<'env> {
    all
}

fn main() {
    let _ = (shorter, many);
}
