//! Nor is one to be read: nothing orders the two streams.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let (mut image, mut other) = (PitchedBuffer::<u8>::zeroed([4, 4])?, PitchedBuffer::<u8>::zeroed([4, 4])?);
    first.scope(|a| {
        let mut image = a.lend_view(image.as_view_mut());
        fill!(image <- 1, a)?;
        second.scope(|b| copy!(other <- image, b))
    })
}
