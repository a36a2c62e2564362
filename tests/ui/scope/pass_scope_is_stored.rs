//! A new one does.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|_| memcore::Result::Ok(()))?;
    stream.scope(|s| fill!(dev <- 1, s))
}
