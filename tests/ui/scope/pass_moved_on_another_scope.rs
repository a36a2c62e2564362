//! It is, once the other has taken it over.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        second.scope(|b| b.take_over(dev, a)?.copy_within(1.., 0, b))
    })
}
