//! No device takes part in a copy within the host.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let source = [1u8; 4];
    let mut back = [0u8; 4];
    stream.scope(|s| copy!(back <- source, s))
}
