//! Memory that is not lent is copied so, in a scope too.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let (mut dev, other) = (device_vec![0u8; 4]?, device_vec![1u8; 4]?);
    let mut back = [0u8; 4];
    stream.scope(|s| {
        fill!(s.lend(&mut dev) <- 1, s)?;
        copy!(back <- other)?;
        assert_eq!(back, [1; 4]);
        Ok(())
    })
}
