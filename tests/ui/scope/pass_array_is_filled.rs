//! Arrays are filled outside a scope, and copied to in it.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut image = ArrayObject::<u8>::zeroed([2, 2])?;
    let mut other = ArrayObject::<u8>::zeroed([2, 2])?;
    let row = [1; 2];
    fill!(image <- 1, stream)?;
    stream.scope(|s| {
        let mut other = s.lend_view(other.as_view_mut());
        copy!(other[0, ..] <- row, s)
    })?;
    assert_eq!((image.to_vec()?, other.to_vec()?), (vec![1; 4], vec![1, 1, 0, 0]));
    Ok(())
}
