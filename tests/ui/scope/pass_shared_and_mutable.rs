//! It is lent to be read any number of times.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let (mut back, mut again) = (vec![0u8; 4], vec![0u8; 4]);
    stream.scope(|s| {
        copy!(back <- s.lend_ref(&dev), s)?;
        copy!(again <- s.lend_ref(&dev), s)
    })?;
    assert_eq!(back, again);
    Ok(())
}
