//! Registered memory has no lifetime: the `Vec` goes while it is registered and a copy reads it.

use oxicuda_memory::{DeviceBuffer, RegisterFlags, register_vec};
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut device = DeviceBuffer::alloc(1 << 20)?;
    let registered = {
        let mut source = vec![7u32; 1 << 20];
        let registered = register_vec(&mut source, RegisterFlags::DEFAULT)?;
        device.copy_from_host_async(&source, &stream)?; //~ host_in_flight
        registered
    };
    stream.synchronize()?;
    drop(registered);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut device = DeviceBuffer::alloc(1 << 20)?;
    let mut source = vec![7u32; 1 << 20];
    let registered = register_vec(&mut source, RegisterFlags::DEFAULT)?;
    device.copy_from_host_async(&registered, &stream)?;
    stream.synchronize()?;
    drop(registered);
    source.fill(0);
    device.copy_to_host(&mut source)?;
    assert_eq!(source, [7; 1 << 20]);
    Ok(())
}
