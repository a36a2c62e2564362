//! The source of an upload is changed while it is in flight.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let mut source = vec![7u32; 1000];
    let device = stream.clone_htod(&source)?; //~ host_in_flight
    source.fill(8);
    assert_eq!(download(&stream, &device)?.len(), 1000);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let mut source = vec![7u32; 1000];
    let device = stream.clone_htod(&source)?;
    stream.synchronize()?;
    source.fill(8);
    assert_eq!(download(&stream, &device)?, [7; 1000]);
    Ok(())
}
