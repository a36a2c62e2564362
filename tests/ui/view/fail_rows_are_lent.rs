//! Rows are lent as a view.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    stream.scope(|s| fill!(s.lend(&mut image) <- 1, s))
}
