//! The device could write a byte that is no `bool` where the host reads `bool`s.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut unified = unified_vec![true; 4]?;
    stream.scope(|s| {
        s.lend(&mut unified);
        memcore::Result::Ok(())
    })
}
