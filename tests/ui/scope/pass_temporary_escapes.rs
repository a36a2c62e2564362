//! What it held comes out by a copy.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut back = [1u8; 4];
    stream.scope(|s| copy!(back <- s.device_vec::<u8>(4)?, s))?;
    assert_eq!(back, [0; 4]);
    Ok(())
}
