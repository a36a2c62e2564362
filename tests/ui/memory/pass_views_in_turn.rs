//! One after the other they may be.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u32; 4]?;
    dev.view_as_mut::<u8>()?.set_zero()?;
    dev.view_as_mut::<u16>()?.set_zero()?;
    let part = &dev[1..];
    part.to_vec()?;
    drop(dev);
    Ok(())
}
