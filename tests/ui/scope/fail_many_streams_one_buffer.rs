//! A piece used on one of many streams is in use until all have ended.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| {
        all.on(&streams[0], |s| fill!(dev <- 1, s))?;
        all.on(&streams[1], |s| fill!(dev <- 2, s))
    })
}
