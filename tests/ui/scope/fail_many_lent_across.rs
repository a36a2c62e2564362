//! What is lent on one of many streams is not used on the next.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| {
        all.on(&streams[0], |a| {
            let dev = a.lend(&mut dev);
            fill!(dev <- 1, a)?;
            all.on(&streams[1], |b| fill!(dev <- 2, b))
        })
    })
}
