//! The brand is a name: were it a lifetime that shrinks, memory would pass for another scope's.
use memcore::prelude::*;

fn shorter<'short, 'long: 'short>(
    lent: &'short memcore::Lent<'long, DeviceSlice<u8>>,
) -> &'short memcore::Lent<'short, DeviceSlice<u8>> {
    lent
}

fn main() {}
