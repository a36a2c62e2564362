//! Both live outside.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 8]?;
    let sources = [vec![1u8; 4], vec![2u8; 4]];
    stream.scope(|s| {
        let (left, right) = s.lend(&mut dev).split_at_mut(4);
        let source = &sources[0];
        copy!(left <- source, s)?;
        let source = &sources[1];
        copy!(right <- source, s)
    })
}
