//! A `move` closure of references owns nothing.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let mut back = vec![0u8; 4];
    let (source, destination) = (&dev, &mut back);
    stream.scope(move |s| copy!(destination <- source, s))
}
