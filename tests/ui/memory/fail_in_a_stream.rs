//! Device memory is made in a context or from a pool.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let _dev = DeviceBuffer::<u8>::zeroed_in(&stream, 4)?;
    Ok(())
}
