//! Taken outside, it is held until the scope has ended.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let shared = std::sync::Mutex::new(vec![0u8; 4]);
    let mut back = shared.lock().unwrap();
    stream.scope(|s| copy!(back[..] <- dev, s))
}
