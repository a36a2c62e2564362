//@ MEMCORE_SIM_FAULTS=nth:cuStreamWaitEvent:6:999
//! A drop lets the owner's stream wait for the readers, keeps the error where that fails, and frees the memory all the same.

use cudarc::driver::{CudaContext, DriverError, sys};
use programs::Outcome;

pub(super) fn wrong() -> Outcome {
    let context = CudaContext::new(0)?;
    let (owner, reader) = (context.new_stream()?, context.new_stream()?);
    let source = vec![7u32; 1000];
    let device = owner.clone_htod(&source)?;
    let copy = reader.clone_dtod(&device)?; //~ use_after_free
    drop(device); //~ freed
    // A call that has nothing to do with it says so.
    assert_eq!(copy.stream().synchronize(), Err(DriverError(sys::CUresult::CUDA_ERROR_UNKNOWN)));
    context.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = CudaContext::new(0)?;
    let (owner, reader) = (context.new_stream()?, context.new_stream()?);
    let source = vec![7u32; 1000];
    let device = owner.clone_htod(&source)?;
    let copy = reader.clone_dtod(&device)?;
    reader.synchronize()?;
    drop(device);
    assert_eq!(copy.stream().synchronize(), Err(DriverError(sys::CUresult::CUDA_ERROR_UNKNOWN)));
    context.synchronize()?;
    Ok(())
}
