//! In its scope.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let source = [1u8; 4];
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let dev = s.lend(&mut dev);
        copy!(dev <- source, s)
    })
}
