//! A page-locked source in use cannot be freed (cudf#22321).
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let source = locked_vec![1u8; 4]?;
    stream.scope(|s| {
        copy!(dev <- source, s)?;
        drop(source);
        Ok(())
    })
}
