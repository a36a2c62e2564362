//! A lock taken in the scope would be released with the copy in flight.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let dev = device_vec![1u8; 4]?;
    let shared = std::sync::Mutex::new(vec![0u8; 4]);
    stream.scope(|s| {
        let mut back = shared.lock().unwrap();
        copy!(back[..] <- dev, s)
    })
}
