//! Device memory is dropped while a stream copies from it: its drop waits for nothing.

use oxicuda_memory::DeviceBuffer;
use oxicuda_memory::copy::copy_dtod_async;
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let source = DeviceBuffer::from_host(&[7u32; 1000])?;
    let mut device = DeviceBuffer::alloc(1000)?;
    copy_dtod_async(&mut device, &source, &stream)?; //~ use_after_free
    drop(source); //~ freed
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let source = DeviceBuffer::from_host(&[7u32; 1000])?;
    let mut device = DeviceBuffer::alloc(1000)?;
    copy_dtod_async(&mut device, &source, &stream)?;
    stream.synchronize()?;
    drop(source);
    let mut back = vec![0u32; 1000];
    device.copy_to_host(&mut back)?;
    assert_eq!(back, [7; 1000]);
    Ok(())
}
