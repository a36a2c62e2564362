//! `split_at_mut` shows that they do not.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 8]?;
    stream.scope(|s| {
        let (left, right) = s.lend(&mut dev).split_at_mut(4);
        copy!(left <- right, s)
    })
}
