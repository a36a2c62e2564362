//! It is used on its own.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    first.scope(|_a| {
        second.scope(|b| {
            let dev = b.lend(&mut dev);
            fill!(dev <- 1, b)?;
            fill!(dev <- 2, b)
        })
    })
}
