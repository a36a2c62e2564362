//! Lent memory cannot be put where it outlives its scope.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    let mut kept = None;
    stream.scope(|s| {
        kept = Some(s.lend(&mut dev));
        memcore::Result::Ok(())
    })?;
    drop(kept);
    Ok(())
}
