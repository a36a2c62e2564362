//! Nor by a fill or a copy that names none.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let mut back = [0u8; 4];
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        fill!(dev <- 1)?;
        copy!(back <- dev)
    })
}
