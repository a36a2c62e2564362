//! Page-locked memory through the plain slice that it gives: the copy is not in its event, so that nothing waits for it.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::allocate;
use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let mut host = allocate::locked(&context, 1000, 7)?;
    let device = stream.clone_htod(host.as_slice()?)?; //~ host_in_flight
    host.as_mut_slice()?.fill(8);
    assert_eq!(download(&stream, &device)?.len(), 1000);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let mut host = allocate::locked(&context, 1000, 7)?;
    let device = stream.clone_htod(&host)?;
    host.as_mut_slice()?.fill(8);
    assert_eq!(download(&stream, &device)?, [7; 1000]);
    Ok(())
}
