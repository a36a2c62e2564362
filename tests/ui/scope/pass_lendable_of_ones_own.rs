//! A type of one's own lends what it owns.
use memcore::prelude::*;

struct Mine(DeviceBuffer<u8>);

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut mine = Mine(device_vec![0u8; 4]?);
    stream.scope(|s| fill!(s.lend(&mut mine.0) <- 1, s))
}
