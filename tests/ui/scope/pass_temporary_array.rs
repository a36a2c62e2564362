//! `fill!` takes a value: it is in the calls themselves.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut dev = device_vec![0u32; 2]?;
    let value = std::env::args().count() as u32;
    stream.scope(|s| fill!(dev <- value, s))
}
