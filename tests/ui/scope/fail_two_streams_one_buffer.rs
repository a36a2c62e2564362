//! Two streams cannot have one buffer: nothing would order them.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    first.scope(|a| {
        fill!(dev <- 1, a)?;
        second.scope(|b| fill!(dev <- 2, b))
    })
}
