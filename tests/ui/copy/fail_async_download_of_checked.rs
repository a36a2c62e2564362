//! A raw download cannot check what arrives, so any bytes must be a value.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![true; 4]?;
    let mut host = locked_vec![false; 4]?;
    unsafe { copy!(host <- dev, async stream)? };
    stream.synchronize()
}
