//! A stream is dropped before its work is done: nobody can wait for it any more, and nobody does.

use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let source = vec![7u32; 1000];
    let mut back = vec![0u32; 1000];
    let mut device = DeviceBuffer::alloc(1000)?;
    {
        let stream = open.stream()?;
        device.copy_from_host_async(&source, &stream)?; //~ other
    }
    device.copy_to_host(&mut back)?; //~ read_after_write
    open.context.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let source = vec![7u32; 1000];
    let mut back = vec![0u32; 1000];
    let mut device = DeviceBuffer::alloc(1000)?;
    {
        let stream = open.stream()?;
        device.copy_from_host_async(&source, &stream)?;
        stream.synchronize()?;
    }
    device.copy_to_host(&mut back)?;
    assert_eq!(back, source);
    Ok(())
}
