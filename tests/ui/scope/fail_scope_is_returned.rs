//! A scope cannot be its closure's result.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let ended = stream.scope(|s| memcore::Result::Ok(s))?;
    drop(ended.as_raw());
    Ok(())
}
