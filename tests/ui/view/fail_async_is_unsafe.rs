//! The raw form asks for `unsafe`, of windows too.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (stream, host) = (Stream::new()?, [1u8; 16]);
    let mut image = PitchedBuffer::<u8>::zeroed([4, 4])?;
    copy!(image[.., ..] <- host.as_2d(4)?[.., ..], async stream)
}
