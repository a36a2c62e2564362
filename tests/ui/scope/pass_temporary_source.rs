//! Made outside, it lives long enough; and a constant always does.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let (mut dev, mut constant) = (device_vec![0u8; 4]?, device_vec![0u8; 4]?);
    let source = vec![1u8; 4];
    stream.scope(|s| {
        copy!(dev <- source, s)?;
        copy!(constant <- [1u8, 2, 3, 4], s)
    })
}
