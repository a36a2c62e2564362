//! Each call returns at once: nothing is there before the outer end.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let mut back = vec![0u8; 4];
    memcore::scope(|all| {
        all.on(&stream, |s| copy!(back <- dev, s))?;
        assert_eq!(back, [1; 4]);
        Ok(())
    })
}
