//! In it, it is used.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    memcore::scope(|all| all.on(&stream, |s| fill!(s.lend(&mut dev)[1..] <- 1, s)))
}
