//! Two streams use the same memory, and nothing orders them: a buffer knows no stream.

use oxicuda_driver::Event;
use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let (first, second) = (open.stream()?, open.stream()?);
    let source = vec![7u32; 1000];
    let mut back = vec![0u32; 1000];
    let mut device = DeviceBuffer::alloc(1000)?;
    device.copy_from_host_async(&source, &first)?; //~ other
    device.copy_to_host_async(&mut back, &second)?; //~ read_after_write
    open.context.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let (first, second) = (open.stream()?, open.stream()?);
    let source = vec![7u32; 1000];
    let mut back = vec![0u32; 1000];
    let mut device = DeviceBuffer::alloc(1000)?;
    let uploaded = Event::new()?;
    device.copy_from_host_async(&source, &first)?;
    uploaded.record(&first)?;
    second.wait_event(&uploaded)?;
    device.copy_to_host_async(&mut back, &second)?;
    open.context.synchronize()?;
    assert_eq!(back, source);
    Ok(())
}
