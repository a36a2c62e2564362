//! Each has a piece.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    let mut dev = device_vec![0u8; 4]?;
    let (left, right) = dev.split_at_mut(2);
    memcore::scope(|all| {
        all.on(&streams[0], |s| fill!(left <- 1, s))?;
        all.on(&streams[1], |s| fill!(right <- 2, s))
    })
}
