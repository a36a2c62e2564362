//! What is lent to be read is not lent to be written.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let mut back = vec![0u8; 4];
    stream.scope(|s| {
        let read = s.lend_ref(&dev);
        let written = s.lend(&mut dev);
        fill!(written <- 1, s)?;
        copy!(back <- read, s)
    })
}
