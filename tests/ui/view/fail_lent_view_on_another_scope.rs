//! A view lent to one scope is no operand of another's.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    first.scope(|a| {
        let mut image = a.lend_view(image.as_view_mut());
        fill!(image[0, ..] <- 1, a)?;
        second.scope(|b| fill!(image[1, ..] <- 2, b))
    })
}
