//! What a closure owns ends with it, before the wait.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let mut back = vec![0u8; 4];
    stream.scope(move |s| copy!(back <- dev, s))
}
