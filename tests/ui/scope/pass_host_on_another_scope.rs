//! On that, it is written and read in order.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let first = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let mut other = device_vec![0u8; 4]?;
    let mut host = locked_vec![0u8; 4]?;
    first.scope(|a| {
        let host = a.lend(&mut host);
        copy!(host <- dev, a)?;
        copy!(other <- host, a)
    })?;
    assert_eq!(other.to_vec()?, [1; 4]);
    Ok(())
}
