//! Page-locked memory is freed while a copy writes it.

use oxicuda_memory::copy::copy_dtoh_async;
use oxicuda_memory::{DeviceBuffer, PinnedBuffer};
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let device = DeviceBuffer::from_host(&[7u32; 1000])?;
    let mut host = PinnedBuffer::<u32>::alloc(1000)?;
    copy_dtoh_async(&mut host, &device, &stream)?; //~ host_in_flight
    drop(host); //~ freed
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let device = DeviceBuffer::from_host(&[7u32; 1000])?;
    let mut host = PinnedBuffer::<u32>::alloc(1000)?;
    copy_dtoh_async(&mut host, &device, &stream)?;
    stream.synchronize()?;
    assert_eq!(host[..], [7; 1000]);
    drop(host);
    Ok(())
}
