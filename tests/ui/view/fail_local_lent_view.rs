//! Nor can it be lent.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    stream.scope(|s| {
        let mut host = [1u8; 16];
        let mut view = s.lend_view(host.as_2d_mut(4)?);
        copy!(view <- image, s)
    })
}
