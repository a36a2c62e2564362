//! A copy that is called synchronous runs on the legacy stream, which no stream of the library waits for, and may not be done when it
//! returns.

use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let source = DeviceBuffer::from_host(&[7u32; 1000])?;
    let mut back = vec![0u32; 1000];
    let mut device = DeviceBuffer::alloc(1000)?;
    device.copy_from_device(&source)?; //~ other
    device.copy_to_host_async(&mut back, &stream)?; //~ read_after_write
    open.context.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let source = DeviceBuffer::from_host(&[7u32; 1000])?;
    let mut back = vec![0u32; 1000];
    let mut device = DeviceBuffer::alloc(1000)?;
    device.copy_from_device(&source)?;
    open.context.synchronize()?;
    device.copy_to_host_async(&mut back, &stream)?;
    stream.synchronize()?;
    assert_eq!(back, [7; 1000]);
    Ok(())
}
