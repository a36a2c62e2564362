//! Nothing could check the bytes before they are seen: only types of which any bytes are a value are downloaded in a scope.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![true, false]?;
    let mut back = [false; 2];
    stream.scope(|s| copy!(back <- dev, s))
}
