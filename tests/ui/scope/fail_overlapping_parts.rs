//! The parts of one copy do not overlap.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 8]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(dev[0..4] <- dev[2..6], s)
    })
}
