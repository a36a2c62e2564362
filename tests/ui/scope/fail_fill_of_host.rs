//! No device takes part in a fill of host memory.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut host = [0u8; 4];
    stream.scope(|s| fill!(s.lend(&mut host) <- 1, s))
}
