//! Nor taken over by the next: both are in flight until the end.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| {
        all.on(&streams[0], |a| {
            let dev = a.lend(&mut dev);
            fill!(dev <- 1, a)?;
            all.on(&streams[1], |b| fill!(b.take_over(dev, a)? <- 2, b))
        })
    })
}
