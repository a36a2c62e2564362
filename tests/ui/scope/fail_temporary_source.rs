//! The vector would be freed at the end of the line, before the device reads it (cupy#8789).
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| copy!(dev <- vec![1u8; 4], s))
}
