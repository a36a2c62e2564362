//! Nothing that comes of a capture can be launched: the library is told so, and goes on.

use oxicuda_driver::CudaError;
use oxicuda_driver::graph::StreamGraphCapture;
use oxicuda_memory::DeviceBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let source = vec![7u32; 1000];
    let mut device = DeviceBuffer::<u32>::zeroed(1000)?;
    let capture = StreamGraphCapture::begin(&stream, 1)?;
    assert_eq!(capture.capture_status()?, 1);
    oxicuda_driver::memory_info::memset_d32_async(device.as_device_ptr(), 1, 1000, &stream)?;
    assert_eq!(capture.end().err(), Some(CudaError::NotSupported));

    device.copy_from_host_async(&source, &stream)?;
    stream.synchronize()?;
    let mut back = vec![0u32; 1000];
    device.copy_to_host(&mut back)?;
    assert_eq!(back, source);
    Ok(())
}
