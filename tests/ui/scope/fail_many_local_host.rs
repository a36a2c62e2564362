//! A buffer of the closure's own would be freed before the streams are waited for.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| {
        let source = vec![1u8; 4];
        all.on(&stream, |s| copy!(dev <- source, s))
    })
}
