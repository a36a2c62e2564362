//! It downloads them.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let dev = device_vec![1.0f32, 2.0]?;
    let sum: f32 = dev.to_vec()?.iter().sum();
    let first: f32 = dev[0].to_value()?;
    println!("{sum} {first}");
    Ok(())
}
