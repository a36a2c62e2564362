//! Borrows shrink to it.
use memcore::prelude::*;

fn queue<'scope, 'env, 'long: 'env>(
    scope: &Scope<'scope, 'env>,
    dev: &mut memcore::Lent<'scope, DeviceSlice<u8>>,
    host: &'long [u8],
) -> memcore::Result<()> {
    copy!(dev <- host, scope)
}

fn main() {
    let _ = queue;
}
