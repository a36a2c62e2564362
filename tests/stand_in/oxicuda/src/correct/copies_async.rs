//! Copies on streams: of ordinary memory, and on the device.

use oxicuda_memory::DeviceBuffer;
use oxicuda_memory::copy::{copy_dtod_async, copy_dtoh_async_raw, copy_htod_async_raw};
use programs::Outcome;

use crate::context::Open;

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let source: Vec<u32> = (0..1000).collect();
    let mut back = vec![1u32; 1000];

    let mut device = DeviceBuffer::alloc(1000)?;
    device.copy_from_host_async(&source, &stream)?;
    let mut copy = DeviceBuffer::alloc(1000)?;
    copy_dtod_async(&mut copy, &device, &stream)?;
    copy.copy_to_host_async(&mut back, &stream)?;
    stream.synchronize()?;
    assert_eq!(back, source);

    let nines = vec![9u32; 1000];
    copy_htod_async_raw(&mut device, &nines, &stream)?;
    copy_dtoh_async_raw(&mut back, &device, &stream)?;
    stream.synchronize()?;
    assert_eq!(back, nines);
    Ok(())
}
