//! Through the device it goes.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut memory = locked_vec![1u8; 8]?;
    stream.scope(|s| {
        let (left, right) = s.lend(&mut memory).split_at_mut(4);
        let between = s.device_vec::<u8>(4)?;
        copy!(between <- right, s)?;
        copy!(left <- between, s)
    })
}
