//! What is known of it may leave.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let len = stream.scope(|s| memcore::Result::Ok(s.lend(&mut dev).len()))?;
    assert_eq!(len, 4);
    Ok(())
}
