//! Both sides of a copy have one element type, arrays too.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut image = ArrayObject::<f32>::zeroed([2, 2])?;
    copy!(image <- [1_u32, 2, 3, 4])?;
    let halves = device_vec![1.0_f64; 4]?;
    copy!(image[.., ..] <- halves.as_2d(2)?)?;
    Ok(())
}
