//! The twin of `fail_local_array`.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let host = [1_u8; 16];
    let mut image = ArrayObject::<u8>::zeroed([4, 4])?;
    stream.scope(|s| copy!(image <- host, s))
}
