//! No memset knows arrays, and what a copy of the value would read is gone before the scope ends.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut image = ArrayObject::<u8>::zeroed([2, 2])?;
    let mut other = ArrayObject::<u8>::zeroed([2, 2])?;
    stream.scope(|s| {
        fill!(image <- 1, s)?;
        let mut other = s.lend_view(other.as_view_mut());
        fill!(other[0, ..] <- 1, s)
    })
}
