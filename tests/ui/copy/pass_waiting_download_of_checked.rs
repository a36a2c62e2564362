//! A download that waits checks.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let dev = device_vec![true; 4]?;
    let mut host = locked_vec![false; 4]?;
    copy!(host <- dev)?;
    assert_eq!(*host, [true; 4]);
    Ok(())
}
