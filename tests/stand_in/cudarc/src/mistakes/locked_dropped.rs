//! Page-locked memory is freed while a copy of its plain slice is in flight.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::allocate;
use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let host = allocate::locked(&context, 1000, 7)?;
    let device = stream.clone_htod(host.as_slice()?)?; //~ host_in_flight
    drop(host); //~ freed
    assert_eq!(download(&stream, &device)?.len(), 1000);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let host = allocate::locked(&context, 1000, 7)?;
    let device = stream.clone_htod(&host)?;
    drop(host);
    assert_eq!(download(&stream, &device)?, [7; 1000]);
    Ok(())
}
