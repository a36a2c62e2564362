//! Two windows of one buffer: the borrow checker sees no further than that.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    copy!(image[..2, ..] <- image[2.., ..])
}
