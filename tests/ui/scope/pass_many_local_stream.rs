//! Made outside, they do.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 4]?;
    let stream = Stream::new()?;
    memcore::scope(|all| all.on(&stream, |s| fill!(dev <- 1, s)))
}
