//! The source of an upload is dropped before the wait.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let device = {
        let source = vec![7u32; 1 << 20];
        stream.clone_htod(&source)? //~ host_in_flight
    };
    assert_eq!(download(&stream, &device)?.len(), 1 << 20);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let device = {
        let source = vec![7u32; 1 << 20];
        let device = stream.clone_htod(&source)?;
        stream.synchronize()?;
        device
    };
    assert_eq!(download(&stream, &device)?, [7; 1 << 20]);
    Ok(())
}
