//! A slice that is borrowed for less than `'env` cannot be in flight.
use memcore::prelude::*;

fn queue<'scope, 'env>(
    scope: &Scope<'scope, 'env>,
    dev: &mut memcore::Lent<'scope, DeviceSlice<u8>>,
    host: &[u8],
) -> memcore::Result<()> {
    copy!(dev <- host, scope)
}

fn main() {}
