//! What is downloaded is there when the scope has ended.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let mut back = vec![0u8; 4];
    stream.scope(|s| {
        copy!(back <- dev, s)?;
        assert_eq!(back[0], 1);
        Ok(())
    })
}
