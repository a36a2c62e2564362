//! Then it is dropped.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| fill!(dev <- 1, s))?;
    drop(stream);
    Ok(())
}
