//! Or one is viewed as the other's.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let source = [1u32; 4];
    let mut dev = device_vec![0f32; 4]?;
    let bits = dev.view_as_mut::<u32>()?;
    stream.scope(|s| copy!(s.lend(bits)[..] <- source, s))
}
