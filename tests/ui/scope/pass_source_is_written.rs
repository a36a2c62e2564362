//! Reading the source goes on, and writing it when the scope has ended.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut source = vec![1u8; 4];
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        copy!(dev <- source, s)?;
        assert_eq!(source[0], 1);
        memcore::Result::Ok(())
    })?;
    source[0] = 2;
    assert_eq!(dev.to_vec()?, [1; 4]);
    Ok(())
}
