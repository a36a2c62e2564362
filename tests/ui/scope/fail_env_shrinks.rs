//! Nor does what a scope borrows for: a buffer of the closure's own would come in.
use memcore::prelude::*;

fn shorter<'a, 'scope, 'short: 'scope, 'long: 'short>(scope: &'a Scope<'scope, 'long>) -> &'a Scope<'scope, 'short> {
    scope
}

fn main() {}
