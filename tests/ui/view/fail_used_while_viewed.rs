//! What is viewed mutably is used through the view alone.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    let mut view = image.as_view_mut();
    image.to_vec()?;
    fill!(view[0, ..] <- 1)
}
