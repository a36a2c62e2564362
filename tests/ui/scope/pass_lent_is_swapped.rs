//! Their names do.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let (mut left, mut right) = s.lend(&mut dev).split_at_mut(2);
        std::mem::swap(&mut left, &mut right);
        fill!(left <- 1, s)?;
        fill!(right <- 2, s)
    })?;
    assert_eq!(dev.to_vec()?, [2, 2, 1, 1]);
    Ok(())
}
