//! A fill's value has the element type.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u32; 4]?;
    stream.scope(|s| fill!(s.lend(&mut dev) <- 1.5f32, s))
}
