//! What is lent to be read is not written.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    stream.scope(|s| fill!(s.lend_ref(&dev) <- 2, s))
}
