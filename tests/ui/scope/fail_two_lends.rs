//! A buffer is lent once: two names of it would be two writers.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        let first = s.lend(&mut dev);
        let second = s.lend(&mut dev);
        copy!(first <- second, s)
    })
}
