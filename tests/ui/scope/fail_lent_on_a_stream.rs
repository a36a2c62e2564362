//! Lent memory is used in its scope, not on a stream: of this one nobody knows what is queued on another.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let source = [1u8; 4];
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(dev <- source, other)
    })
}
