//! Borrowed in an inner block, it is freed before the scope ends.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        {
            let source = locked_vec![1u8; 4]?;
            copy!(dev <- source, s)?;
        }
        fill!(dev[..1] <- 2, s)
    })
}
