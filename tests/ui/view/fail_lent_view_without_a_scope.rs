//! A lent view is used with its scope.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (stream, host) = (Stream::new()?, [1u8; 16]);
    let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    stream.scope(|s| {
        let mut image = s.lend_view(image.as_view_mut());
        copy!(image <- host.as_2d(4)?)
    })
}
