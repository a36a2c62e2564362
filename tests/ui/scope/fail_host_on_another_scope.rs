//! Lent host memory is used on one stream too.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let (first, second) = (Stream::new()?, Stream::new()?);
    let dev = device_vec![1u8; 4]?;
    let mut other = device_vec![0u8; 4]?;
    let mut host = locked_vec![0u8; 4]?;
    first.scope(|a| {
        let host = a.lend(&mut host);
        copy!(host <- dev, a)?;
        second.scope(|b| copy!(other <- host, b))
    })
}
