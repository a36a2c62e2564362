//! In the scope, it goes into any collection.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let mut kept: Vec<_> = s.lend(&mut dev).chunks_mut(1).collect();
        kept.reverse();
        kept.into_iter().try_for_each(|part| fill!(part <- 1, s))
    })
}
