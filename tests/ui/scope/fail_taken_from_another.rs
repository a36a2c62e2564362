//! `take_over` waits for the stream that the memory was lent to, and no other.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let mut dev = device_vec![0u8; 4]?;
    streams[0].scope(|a| {
        let dev = a.lend(&mut dev);
        fill!(dev <- 1, a)?;
        streams[1].scope(|b| streams[2].scope(|c| fill!(c.take_over(dev, b)? <- 2, c)))
    })
}
