//! Made outside, it does.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let mut back = [0u8; 4];
    stream.scope(|s| copy!(s.lend(&mut back)[..] <- dev, s))
}
