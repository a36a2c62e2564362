//! An inner scope's temporary is not used on the outer stream.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut back = [0u8; 4];
    first.scope(|a| second.scope(|b| copy!(back <- b.device_vec::<u8>(4)?, a)))
}
