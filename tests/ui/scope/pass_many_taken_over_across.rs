//! A scope inside it takes it over, and ends first.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| {
        all.on(&streams[0], |a| {
            let dev = a.lend(&mut dev);
            fill!(dev <- 1, a)?;
            streams[1].scope(|b| fill!(b.take_over(dev, a)? <- 2, b))?;
            fill!(dev <- 3, a)
        })
    })
}
