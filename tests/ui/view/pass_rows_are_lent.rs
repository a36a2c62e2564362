//! Rows are lent as a view.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    stream.scope(|s| fill!(s.lend_view(image.as_view_mut()) <- 1, s))
}
