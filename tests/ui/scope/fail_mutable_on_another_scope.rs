//! Memory lent to one scope is no operand of another's.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        fill!(dev <- 1, a)?;
        second.scope(|b| fill!(dev <- 2, b))
    })
}
