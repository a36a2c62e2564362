//! A piece for each, from one source that all read.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    let source = locked_vec![1u8; 2]?;
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| {
        for (stream, dev) in streams.iter().zip(dev.chunks_mut(2)) {
            all.on(stream, |s| copy!(dev <- source, s))?;
        }
        Ok(())
    })
}
