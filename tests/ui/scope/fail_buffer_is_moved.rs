//! A vector in use cannot be moved: its elements would be freed elsewhere.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let mut back = vec![0u8; 4];
    let mut others = Vec::new();
    stream.scope(|s| {
        copy!(back <- dev, s)?;
        others.push(back);
        Ok(())
    })
}
