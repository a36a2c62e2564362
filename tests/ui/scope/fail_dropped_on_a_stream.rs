//! What is lent is not freed in the order of another stream.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let mut dev = device_vec![0u8; 4]?;
    stream.scope(|s| {
        fill!(s.lend(&mut dev) <- 1, s)?;
        dev.drop_on(&other).map_err(|(error, _)| error)
    })
}
