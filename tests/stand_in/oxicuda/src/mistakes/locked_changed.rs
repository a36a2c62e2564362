//! Page-locked memory is a plain slice to the program, which changes it while a copy reads it.

use oxicuda_memory::copy::copy_htod_async;
use oxicuda_memory::{DeviceBuffer, PinnedBuffer};
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut host = PinnedBuffer::from_slice(&[7u32; 1000])?;
    let mut device = DeviceBuffer::alloc(1000)?;
    copy_htod_async(&mut device, &host, &stream)?; //~ host_in_flight
    host[500] = 8;
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut host = PinnedBuffer::from_slice(&[7u32; 1000])?;
    let mut device = DeviceBuffer::alloc(1000)?;
    copy_htod_async(&mut device, &host, &stream)?;
    stream.synchronize()?;
    host.fill(8);
    device.copy_to_host(&mut host)?;
    assert_eq!(host[..], [7; 1000]);
    Ok(())
}
