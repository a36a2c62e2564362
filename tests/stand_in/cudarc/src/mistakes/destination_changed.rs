//! The destination of a download is used before the wait: `clone_dtoh` returns a `Vec` whose copy is in flight.

use cudarc::driver::CudaContext;
use programs::Outcome;

pub(super) fn wrong() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let source: Vec<u32> = (0..1000).rev().collect();
    let device = stream.clone_htod(&source)?;
    let mut back = stream.clone_dtoh(&device)?; //~ host_in_flight
    back.sort_unstable();
    back[0] = 1;
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let source: Vec<u32> = (0..1000).rev().collect();
    let device = stream.clone_htod(&source)?;
    let mut back = stream.clone_dtoh(&device)?;
    stream.synchronize()?;
    back.sort_unstable();
    assert!(back.into_iter().eq(0..1000));
    Ok(())
}
