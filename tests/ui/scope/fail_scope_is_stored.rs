//! A scope that has ended takes no operation.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let stream = Stream::new()?;
    let mut kept = None;
    stream.scope(|s| {
        kept = Some(s);
        memcore::Result::Ok(())
    })?;
    let mut dev = device_vec![0u8; 4]?;
    fill!(dev <- 1, kept.unwrap())
}
