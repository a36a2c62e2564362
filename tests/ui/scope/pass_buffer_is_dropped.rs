//! When the scope has ended it can.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let source = locked_vec![1u8; 4]?;
    stream.scope(|s| copy!(s.lend(&mut dev)[..] <- source, s))?;
    drop(dev);
    Ok(())
}
