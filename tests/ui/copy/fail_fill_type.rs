//! The value of a fill has the element type.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0.0f32; 4]?;
    fill!(dev <- 1u32)
}
