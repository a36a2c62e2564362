//! Lending does not make it live longer.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    stream.scope(|s| {
        let mut back = [0u8; 4];
        copy!(s.lend(&mut back)[..] <- dev, s)
    })
}
