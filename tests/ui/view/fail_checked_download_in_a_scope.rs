//! In a scope nobody checks what comes to the host.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (stream, mut host) = (Stream::new()?, [true; 16]);
    let image = PitchedBuffer::filled(true, [4, 4])?;
    stream.scope(|s| copy!(host.as_2d_mut(4)? <- image, s))
}
