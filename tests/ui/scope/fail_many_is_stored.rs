//! The many-stream scope cannot leave its closure.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut kept = None;
    memcore::scope(|all| {
        kept = Some(all);
        memcore::Result::Ok(())
    })?;
    drop(kept);
    Ok(())
}
