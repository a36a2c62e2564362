//! The destination of a download is used before the wait.

use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let device = DeviceBuffer::from_host(&[7u32; 1000])?;
    let mut back = vec![0u32; 1000];
    device.copy_to_host_async(&mut back, &stream)?; //~ host_in_flight
    back.fill(8);
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let device = DeviceBuffer::from_host(&[7u32; 1000])?;
    let mut back = vec![0u32; 1000];
    device.copy_to_host_async(&mut back, &stream)?;
    stream.synchronize()?;
    assert_eq!(back, [7; 1000]);
    back.fill(8);
    Ok(())
}
