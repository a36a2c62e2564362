//! Its stream is there without it.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let raw = stream.scope(|s| memcore::Result::Ok(s.as_raw()))?;
    assert_eq!(raw, stream.as_raw());
    Ok(())
}
