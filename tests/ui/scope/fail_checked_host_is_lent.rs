//! The same of host memory.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![true; 4]?;
    let mut host = [false; 4];
    stream.scope(|s| copy!(s.lend(&mut host)[..] <- dev, s))
}
