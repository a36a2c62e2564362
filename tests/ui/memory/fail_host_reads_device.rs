//! The host cannot read an element of device memory.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let dev = device_vec![1.0f32, 2.0]?;
    let sum: f32 = dev.iter().sum();
    let first: f32 = dev[0];
    println!("{sum} {first}");
    Ok(())
}
