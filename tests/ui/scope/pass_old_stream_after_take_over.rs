//! When the other scope has ended it is.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        second.scope(|b| {
            let taken = b.take_over(dev, a)?;
            fill!(taken <- 1, b)
        })?;
        fill!(dev <- 2, a)
    })
}
