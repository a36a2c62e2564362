//! Its result can.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let count = memcore::scope(|all| all.on(&stream, |_| memcore::Result::Ok(3)))?;
    assert_eq!(count, 3);
    Ok(())
}
