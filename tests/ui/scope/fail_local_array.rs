//! An array that a scope writes lives longer than the scope.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let host = [1_u8; 16];
    stream.scope(|s| {
        let mut image = ArrayObject::<u8>::zeroed([4, 4])?;
        copy!(image <- host, s)
    })
}
