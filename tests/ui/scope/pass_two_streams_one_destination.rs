//! Each has a part.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let (dev, other) = (device_vec![0u8; 4]?, device_vec![1u8; 4]?);
    let mut back = locked_vec![0u8; 4]?;
    let (left, right) = back.split_at_mut(2);
    first.scope(|a| {
        copy!(left <- dev[..2], a)?;
        second.scope(|b| copy!(right <- other[2..], b))
    })
}
