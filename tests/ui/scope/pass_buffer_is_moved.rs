//! Out of the scope's way, it can.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let mut back = vec![0u8; 4];
    let mut others = Vec::new();
    stream.scope(|s| copy!(back <- dev, s))?;
    others.push(back);
    assert_eq!(others, [[1; 4]]);
    Ok(())
}
