//! A borrow of it shrinks.
use memcore::prelude::*;

fn shorter<'short, 'long: 'short, 'scope>(
    lent: &'long memcore::Lent<'scope, DeviceSlice<u8>>,
) -> &'short memcore::Lent<'scope, DeviceSlice<u8>> {
    lent
}

fn main() {
    let _ = shorter;
}
