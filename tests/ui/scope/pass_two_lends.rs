//! Two parts of it are two lent memories.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let (first, second) = s.lend(&mut dev).split_at_mut(2);
        copy!(first <- second, s)
    })
}
