//! What is lent on one of many streams stays in that call.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| {
        let dev = all.on(&stream, |s| memcore::Result::Ok(s.lend(&mut dev)))?;
        all.on(&stream, |s| fill!(dev <- 1, s))
    })
}
