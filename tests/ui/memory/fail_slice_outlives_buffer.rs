//! A slice keeps its buffer borrowed.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let dev = device_vec![0u8; 4]?;
    let part = &dev[1..];
    drop(dev);
    part.to_vec()?;
    Ok(())
}
