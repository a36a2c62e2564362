//! A view to be read is not written.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    let mut view = image.as_view();
    fill!(view[0, ..] <- 1)
}
