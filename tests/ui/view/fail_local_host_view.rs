//! A host buffer of the closure's own does not live until the scope ends.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    stream.scope(|s| {
        let host = [1u8; 16];
        copy!(image <- host.as_2d(4)?, s)
    })
}
