//! So it does.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0f32; 4]?;
    stream.scope(|s| fill!(s.lend(&mut dev) <- 1.5f32, s))
}
