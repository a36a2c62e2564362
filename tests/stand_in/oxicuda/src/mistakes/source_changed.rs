//! The source of an upload is changed while it is in flight.

use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut source = vec![7u32; 1000];
    let mut device = DeviceBuffer::alloc(1000)?;
    device.copy_from_host_async(&source, &stream)?; //~ host_in_flight
    source.fill(8);
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut source = vec![7u32; 1000];
    let mut device = DeviceBuffer::alloc(1000)?;
    device.copy_from_host_async(&source, &stream)?;
    stream.synchronize()?;
    source.fill(8);
    device.copy_to_host(&mut source)?;
    assert_eq!(source, [7; 1000]);
    Ok(())
}
