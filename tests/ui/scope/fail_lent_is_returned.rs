//! Lent memory stays in its scope.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let lent = stream.scope(|s| memcore::Result::Ok(s.lend(&mut dev)))?;
    assert_eq!(lent.len(), 4);
    Ok(())
}
