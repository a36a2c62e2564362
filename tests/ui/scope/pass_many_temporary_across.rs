//! A scope inside it has ended, and been waited for, before the temporary is freed.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    memcore::scope(|all| {
        all.on(&streams[0], |a| {
            let scratch = a.device_vec::<u8>(4)?;
            streams[1].scope(|b| fill!(b.take_over(scratch, a)? <- 2, b))
        })
    })
}
