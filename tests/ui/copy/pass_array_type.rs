//! The twin of `fail_array_type`.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut image = ArrayObject::<f32>::zeroed([2, 2])?;
    copy!(image <- [1.0, 2.0, 3.0, 4.0])?;
    let halves = device_vec![0.5_f32; 4]?;
    copy!(image[.., ..] <- halves.as_2d(2)?)?;
    Ok(())
}
