//! Bytes are, and values of checked types by a copy that waits.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![true, false]?;
    let mut back = [0u8; 2];
    stream.scope(|s| copy!(back <- dev.view_as::<u8>()?, s))?;
    let mut back = [false; 2];
    copy!(back <- dev, stream)
}
