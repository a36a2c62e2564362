//! A buffer is viewed in rows.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 16]?;
    fill!(dev.as_2d_mut(4)?[..2, ..2] <- 1)
}
