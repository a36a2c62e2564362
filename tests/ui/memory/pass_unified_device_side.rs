//! Plain data has both sides; a checked type is read by the device, and written by copies that check.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    let mut numbers = unified_vec![1.0f32; 4]?;
    fill!(numbers.as_device_slice_mut() <- 2.0)?;
    let mut flags = unified_vec![true; 4]?;
    let dev = DeviceBuffer::from_slice(&flags)?;
    copy!(flags <- dev)?;
    assert_eq!(flags.as_device_slice().to_vec()?, [true; 4]);
    Ok(())
}
