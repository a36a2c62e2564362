//! A temporary is freed with its scope.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let kept = stream.scope(|s| s.device_vec::<u8>(4))?;
    drop(kept.len());
    Ok(())
}
