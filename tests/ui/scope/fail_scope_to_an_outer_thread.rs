//! A thread of a `thread::scope` around it is joined too late.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    std::thread::scope(|threads| {
        stream.scope(|s| {
            threads.spawn(move || fill!(dev <- 1, s));
            memcore::Result::Ok(())
        })
    })
}
