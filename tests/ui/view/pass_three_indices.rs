//! A window of slices of rows names all three.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 16]?;
    fill!(dev.as_3d_mut([2, 4])?[.., ..2, ..2] <- 1)
}
