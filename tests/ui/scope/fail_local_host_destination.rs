//! A buffer of the closure's own would be freed while the device writes it.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    stream.scope(|s| {
        let mut back = vec![0u8; 4];
        copy!(back <- dev, s)
    })
}
