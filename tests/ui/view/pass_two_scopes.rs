//! Each stream has its own part; what is only read may be lent to both.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let (mut image, source) = (PitchedBuffer::<u8>::zeroed([4, 4])?, PitchedBuffer::<u8>::zeroed([2, 4])?);
    let (top, bottom) = image.as_view_mut().split_at(2)?;
    first.scope(|a| {
        let mut top = a.lend_view(top);
        copy!(top <- source, a)?;
        second.scope(|b| {
            let mut bottom = b.lend_view(bottom);
            copy!(bottom <- source, b)
        })
    })
}
