//! A scope of the inner block's own ends in it.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    {
        let source = locked_vec![1u8; 4]?;
        stream.scope(|s| copy!(dev <- source, s))?;
    }
    stream.scope(|s| fill!(dev[..1] <- 2, s))
}
