//! A name used again does not end what it named, but the closure's end does.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 8]?;
    stream.scope(|s| {
        let (left, right) = s.lend(&mut dev).split_at_mut(4);
        let source = vec![1u8; 4];
        copy!(left <- source, s)?;
        let source = vec![2u8; 4];
        copy!(right <- source, s)
    })
}
