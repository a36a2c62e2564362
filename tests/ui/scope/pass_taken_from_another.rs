//! Through another scope it goes in two steps, or in one from the first.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let mut dev = device_vec![0u8; 4]?;
    streams[0].scope(|a| {
        let (left, right) = a.lend(&mut dev).split_at_mut(2);
        streams[1].scope(|b| {
            let left = b.take_over(left, a)?;
            streams[2].scope(|c| {
                fill!(c.take_over(left, b)? <- 2, c)?;
                fill!(c.take_over(right, a)? <- 3, c)
            })
        })
    })
}
