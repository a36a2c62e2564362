//! Each has a part.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    let (left, right) = dev.split_at_mut(2);
    first.scope(|a| {
        fill!(left <- 1, a)?;
        second.scope(|b| fill!(right <- 2, b))
    })
}
