//! A scope around them lends it, and each takes its part over.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let mut dev = device_vec![0u8; 4]?;
    streams[0].scope(|a| {
        let dev = a.lend(&mut dev);
        fill!(dev <- 1, a)?;
        memcore::scope(|all| {
            for (stream, part) in streams[1..].iter().zip(dev.chunks_mut(2)) {
                all.on(stream, |b| fill!(b.take_over(part, a)? <- 2, b))?;
            }
            Ok(())
        })
    })
}
