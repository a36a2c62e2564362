//! A mutable reference needs no `mut` binding, and can be used again.
use memcore::prelude::*;

fn twice(dev: &mut DeviceSlice<u8>, stream: &Stream) -> memcore::Result<()> {
    copy!(dev <- [1, 2, 3, 4])?;
    copy!(dev <- [1, 2, 3, 4], stream)?;
    fill!(dev <- 0)
}

fn main() -> memcore::Result<()> {
    twice(&mut *device_vec![0u8; 4]?, &Stream::new()?)
}
