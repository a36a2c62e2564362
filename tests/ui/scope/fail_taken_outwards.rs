//! An outer scope does not take memory of an inner one: it would be in use when that has ended.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    first.scope(|a| {
        second.scope(|b| {
            let dev = b.lend(&mut dev);
            fill!(a.take_over(dev, b)? <- 1, a)
        })
    })
}
