//! Nor of lent host memory.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut memory = locked_vec![1u8; 8]?;
    stream.scope(|s| {
        let (left, right) = s.lend(&mut memory).split_at_mut(4);
        copy!(left <- right, s)
    })
}
