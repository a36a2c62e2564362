//! What is lent to be written is.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![1u8; 4]?;
    stream.scope(|s| fill!(s.lend(&mut dev) <- 2, s))
}
