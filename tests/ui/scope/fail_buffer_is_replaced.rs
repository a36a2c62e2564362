//! A buffer in use cannot be assigned to: the old one would be freed.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        fill!(dev <- 1, s)?;
        dev = device_vec![2u8; 4]?;
        Ok(())
    })
}
