//! Streams outlive the scope that waits for them.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| {
        let stream = Stream::new()?;
        all.on(&stream, |s| fill!(dev <- 1, s))
    })
}
