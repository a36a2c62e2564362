//! A temporary of one of many streams is freed behind that stream's work: the next must not be at it meanwhile.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let streams = [Stream::new()?, Stream::new()?];
    memcore::scope(|all| {
        all.on(&streams[0], |a| {
            let scratch = a.device_vec::<u8>(4)?;
            all.on(&streams[1], |b| fill!(b.take_over(scratch, a)? <- 2, b))
        })
    })
}
