//! Managed memory where the program has made no stream: as with page-locked memory, its drop waits for nothing.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::allocate;
use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let managed = allocate::managed(&context, 1000, 7)?;
    let device = stream.clone_dtod(&managed)?; //~ use_after_free
    drop(managed); //~ freed
    assert_eq!(download(&stream, &device)?.len(), 1000);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.default_stream();
    let managed = allocate::managed(&context, 1000, 7)?;
    let device = stream.clone_dtod(&managed)?;
    stream.synchronize()?;
    drop(managed);
    assert_eq!(download(&stream, &device)?, [7; 1000]);
    Ok(())
}
