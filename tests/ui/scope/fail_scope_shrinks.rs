//! Nor the scope's own name, nor what many streams borrow for.
use memcore::prelude::*;

fn shorter<'short, 'long: 'short, 'env: 'long>(scope: &'short Scope<'long, 'env>) -> &'short Scope<'short, 'env> {
    scope
}

fn many<'short, 'long: 'short>(all: &'short memcore::Scopes<'long>) -> &'short memcore::Scopes<'short> {
    all
}

fn main() {}
