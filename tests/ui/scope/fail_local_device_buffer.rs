//! A device buffer of the closure's own would be freed in use.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    stream.scope(|s| {
        let mut dev = device_vec![0u8; 4]?;
        fill!(dev <- 1, s)
    })
}
