//! No two mutable views of the same memory.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut dev = device_vec![0u32; 4]?;
    let bytes = dev.view_as_mut::<u8>()?;
    let words = dev.view_as_mut::<u16>()?;
    bytes.set_zero()?;
    words.set_zero()
}
