//! An array that is lent to a scope is used on that scope's stream alone.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let (host, mut back) = ([1_u8; 16], [0_u8; 16]);
    let mut image = ArrayObject::<u8>::zeroed([4, 4])?;
    first.scope(|s| {
        let mut image = s.lend_view(image.as_view_mut());
        copy!(image <- host, s)?;
        second.scope(|t| copy!(back <- image, t))
    })
}
