//! Both sides have the same element type.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let source = [1u32; 4];
    let mut dev = device_vec![0f32; 4]?;
    stream.scope(|s| copy!(s.lend(&mut dev)[..] <- source, s))
}
