//! A loop would queue one buffer on every stream.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    let source = locked_vec![1u8; 4]?;
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| {
        for stream in &streams {
            all.on(stream, |s| copy!(dev <- source, s))?;
        }
        Ok(())
    })
}
