//! What is no memory is no operand.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u8; 4]?;
    copy!(dev <- 5u8)
}
