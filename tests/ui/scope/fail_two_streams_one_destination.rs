//! Nor one destination on the host.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let (dev, other) = (device_vec![0u8; 4]?, device_vec![1u8; 4]?);
    let mut back = locked_vec![0u8; 4]?;
    first.scope(|a| {
        copy!(back[..3] <- dev[..3], a)?;
        second.scope(|b| copy!(back[2..] <- other[2..], b))
    })
}
