//! What is lent to an inner scope is not used on the outer stream.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    first.scope(|a| {
        second.scope(|b| {
            let dev = b.lend(&mut dev);
            fill!(dev <- 1, b)?;
            fill!(dev <- 2, a)
        })
    })
}
