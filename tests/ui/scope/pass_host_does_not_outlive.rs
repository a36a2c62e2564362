//! Borrowed for `'env` it can.
use memcore::prelude::*;

fn queue<'scope, 'env>(
    scope: &Scope<'scope, 'env>,
    dev: &mut memcore::Lent<'scope, DeviceSlice<u8>>,
    host: &'env [u8],
) -> memcore::Result<()> {
    copy!(dev <- host, scope)
}

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let source = [1u8; 4];
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| queue(s, s.lend(&mut dev), &source))
}
