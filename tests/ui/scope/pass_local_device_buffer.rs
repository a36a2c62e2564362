//! The scope has temporaries.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    stream.scope(|s| {
        let dev = s.device_vec::<u8>(4)?;
        fill!(dev <- 1, s)
    })
}
