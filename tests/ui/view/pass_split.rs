//! Windows of one buffer that do not overlap come from a split.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    let (mut top, bottom) = image.as_view_mut().split_at(2)?;
    copy!(top[.., 1..] <- bottom[.., ..3])
}
