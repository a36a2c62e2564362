//! A buffer without rows has no windows.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 16]?;
    fill!(dev[..2, ..2] <- 1)
}
