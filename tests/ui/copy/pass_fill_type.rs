//! A literal takes the element type.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u16; 4]?;
    fill!(dev <- 1)
}
