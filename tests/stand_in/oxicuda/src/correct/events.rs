//! Events and streams that wait for each other.

use oxicuda_driver::{Event, Stream};
use oxicuda_memory::DeviceBuffer;
use oxicuda_memory::copy::copy_dtod_async;
use programs::Outcome;

use crate::context::Open;

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let (first, second) = (open.stream()?, Stream::with_priority(&open.context, -1)?);
    let (start, end, done) = (Event::new()?, Event::new()?, Event::new()?);
    let source = vec![3u32; 4096];
    let mut device = DeviceBuffer::alloc(4096)?;
    let mut copy = DeviceBuffer::alloc(4096)?;
    start.record(&first)?;
    device.copy_from_host_async(&source, &first)?;
    end.record(&first)?;
    second.wait_event(&end)?;
    copy_dtod_async(&mut copy, &device, &second)?;
    done.record(&second)?;
    done.synchronize()?;
    assert!(done.query()? && end.query()?);
    assert!(Event::elapsed_time(&start, &end)? >= 0.0);
    let mut back = vec![0u32; 4096];
    copy.copy_to_host(&mut back)?;
    assert_eq!(back, source);
    Ok(())
}
