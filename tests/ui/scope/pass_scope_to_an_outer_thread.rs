//! A thread may have a scope of its own.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    std::thread::scope(|threads| threads.spawn(|| stream.scope(|s| fill!(dev <- 1, s))).join().unwrap())
}
