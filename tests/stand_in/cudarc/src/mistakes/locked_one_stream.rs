//! Page-locked memory where the program has made no stream: cudarc records its event only where there are several, so that nothing
//! waits for the copy.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::allocate;
use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let mut host = allocate::locked(&context, 1000, 7)?;
    let device = stream.clone_htod(&host)?; //~ host_in_flight
    host.as_mut_slice()?.fill(8);
    assert_eq!(download(&stream, &device)?.len(), 1000);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let mut host = allocate::locked(&context, 1000, 7)?;
    let device = stream.clone_htod(&host)?;
    stream.synchronize()?;
    host.as_mut_slice()?.fill(8);
    assert_eq!(download(&stream, &device)?, [7; 1000]);
    Ok(())
}
