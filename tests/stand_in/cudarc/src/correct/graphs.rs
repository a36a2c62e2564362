//! Nothing that comes of a capture can be launched: cudarc is told so, and goes on.

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode, CUstreamCaptureStatus};
use cudarc::driver::{CudaContext, DriverError};
use programs::Outcome;

use crate::wait::download;

pub(super) fn run() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.per_thread_stream();
    let mut device = stream.alloc_zeros::<u32>(64)?;
    stream.synchronize()?;
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    assert_eq!(stream.capture_status()?, CUstreamCaptureStatus::CU_STREAM_CAPTURE_STATUS_ACTIVE);
    stream.memset_zeros(&mut device)?;
    let graph = stream.end_capture(CUgraphInstantiate_flags(0)).map(|graph| graph.is_some());
    assert_eq!(graph, Err(DriverError(CUresult::CUDA_ERROR_NOT_SUPPORTED)));
    assert_eq!(context.check_err(), Ok(()));
    assert_eq!(download(&stream, &device)?, [0; 64]);
    Ok(())
}
