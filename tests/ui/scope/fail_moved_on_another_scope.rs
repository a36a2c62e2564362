//! What is lent to one scope is not moved within on the stream of another.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    first.scope(|a| {
        let dev = a.lend(&mut dev);
        second.scope(|b| dev.copy_within(1.., 0, b))
    })
}
