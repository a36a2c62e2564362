//! An array of values known only at run time is a temporary too.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u32; 2]?;
    let value = std::env::args().count() as u32;
    stream.scope(|s| copy!(dev <- [value, value], s))
}
