//! An inner one takes it of the outer.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        second.scope(|b| fill!(b.take_over(dev, a)? <- 1, b))
    })
}
