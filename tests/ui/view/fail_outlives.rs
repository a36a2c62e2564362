//! A view lives no longer than its memory.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 16]?;
    let mut view = dev.as_2d_mut(4)?;
    drop(dev);
    fill!(view <- 1)
}
