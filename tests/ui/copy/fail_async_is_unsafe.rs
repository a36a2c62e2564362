//! A copy that is in flight when the call returns is the caller's to answer for.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u8; 4]?;
    copy!(dev <- [1, 2, 3, 4], async stream)?;
    stream.synchronize()
}
