//! Made outside, it is not.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let source = vec![1u8; 4];
    memcore::scope(|all| all.on(&stream, |s| copy!(dev <- source, s)))
}
