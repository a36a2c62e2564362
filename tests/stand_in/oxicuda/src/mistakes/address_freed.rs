//! An address is a number that outlives its buffer, and safe functions take it.

use oxicuda_driver::memory_info::memset_d32_async;
use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let address = DeviceBuffer::from_host(&[7u32; 1000])?.as_device_ptr();
    let set = memset_d32_async(address, 1, 1000, &stream); //~ use_after_free
    assert!(set.is_err());
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let device = DeviceBuffer::from_host(&[7u32; 1000])?;
    memset_d32_async(device.as_device_ptr(), 1, 1000, &stream)?;
    stream.synchronize()?;
    Ok(())
}
