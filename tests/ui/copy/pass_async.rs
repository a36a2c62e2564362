//! With `unsafe`, and the stream by value or by reference.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let source = locked_vec![1u8; 4]?;
    let mut dev = device_vec![0u8; 4]?;
    // SAFETY: both live, unused, until the wait.
    unsafe { copy!(dev <- source, async stream)? };
    stream.synchronize()?;
    // SAFETY: as above.
    unsafe { copy!(dev <- source, async &stream)? };
    stream.synchronize()
}
