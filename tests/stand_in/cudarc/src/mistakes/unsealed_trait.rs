//! `DevicePtr` can be implemented by anyone, in safe code, and cudarc believes what it says.

use std::sync::Arc;

use cudarc::driver::sys::CUdeviceptr;
use cudarc::driver::{CudaContext, CudaSlice, CudaStream, DevicePtr, DeviceSlice, SyncOnDrop};
use programs::Outcome;

use crate::wait::download;

/// The same memory, and more of it.
struct Longer(CudaSlice<u32>);

impl DeviceSlice<u32> for Longer {
    fn len(&self) -> usize {
        2 * self.0.len()
    }

    fn stream(&self) -> &Arc<CudaStream> {
        self.0.stream()
    }
}

impl DevicePtr<u32> for Longer {
    fn device_ptr<'a>(&'a self, stream: &'a CudaStream) -> (CUdeviceptr, SyncOnDrop<'a>) {
        self.0.device_ptr(stream)
    }
}

pub(super) fn wrong() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let device = stream.alloc_zeros::<u32>(1000)?;
    let copied = stream.clone_dtod(&Longer(device)); //~ out_of_bounds
    assert!(copied.is_err());
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let device = stream.alloc_zeros::<u32>(1000)?;
    let copy = stream.clone_dtod(&device)?;
    assert_eq!(download(&stream, &copy)?, [0; 1000]);
    Ok(())
}
