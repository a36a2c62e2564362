//! The source of an upload is dropped before the wait.

use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut device = DeviceBuffer::alloc(1 << 20)?;
    {
        let source = vec![7u32; 1 << 20];
        device.copy_from_host_async(&source, &stream)?; //~ host_in_flight
    }
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut device = DeviceBuffer::alloc(1 << 20)?;
    {
        let source = vec![7u32; 1 << 20];
        device.copy_from_host_async(&source, &stream)?;
        stream.synchronize()?;
    }
    let mut back = vec![0u32; 1 << 20];
    device.copy_to_host(&mut back)?;
    assert_eq!(back, [7; 1 << 20]);
    Ok(())
}
