//! The source of an upload is dropped before the wait.

use cudarc::driver::CudaContext;
use programs::Outcome;

pub(super) fn wrong() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let device = {
        let source = vec![7u32; 1 << 20];
        stream.clone_htod(&source)? //~ host_in_flight
    };
    stream.synchronize()?;
    drop(device);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let source = vec![7u32; 1 << 20];
    let device = stream.clone_htod(&source)?;
    stream.synchronize()?;
    drop(source);
    assert_eq!(stream.clone_dtoh(&device)?, [7; 1 << 20]);
    stream.synchronize()?;
    Ok(())
}
