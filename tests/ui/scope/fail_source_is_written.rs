//! The device may read the source until the scope ends.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut source = vec![1u8; 4];
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        copy!(dev <- source, s)?;
        source[0] = 2;
        Ok(())
    })
}
