//! Memory of the scope's own comes as `device_vec`.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        fill!(dev <- 1, s)?;
        let other = s.device_vec::<u8>(4)?;
        fill!(other <- 2, s)
    })?;
    dev = device_vec![3u8; 4]?;
    assert_eq!(dev.to_vec()?, [3; 4]);
    Ok(())
}
