//! What the library sets memory with: words, at once and on a stream.

use oxicuda_driver::memory_info::{memcpy_device_to_device, memset_d32, memset_d32_async};
use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let device = DeviceBuffer::<u32>::alloc(1000)?;
    memset_d32(device.as_device_ptr(), 1, 1000)?;
    open.context.synchronize()?;
    memset_d32_async(device.slice(500, 500)?.as_device_ptr(), 2, 500, &stream)?;
    stream.synchronize()?;
    let copy = DeviceBuffer::<u32>::alloc(1000)?;
    memcpy_device_to_device(copy.as_device_ptr(), device.as_device_ptr(), 4000)?;
    let mut back = vec![0u32; 1000];
    copy.copy_to_host(&mut back)?;
    assert_eq!(back, [[1; 500], [2; 500]].concat());
    Ok(())
}
