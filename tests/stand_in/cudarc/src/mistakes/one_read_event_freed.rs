//! As `one_read_event`, and the slice is dropped: its memory goes back to the pool while the first reader is at it.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let context = CudaContext::new(0)?;
    let (first, second, owner) = (context.new_stream()?, context.new_stream()?, context.new_stream()?);
    let source = vec![7u32; 1000];
    let device = owner.clone_htod(&source)?;
    let ones = first.clone_dtod(&device)?; //~ use_after_free
    let others = second.clone_dtod(&device)?;
    drop(device); //~ freed
    assert_eq!(download(&first, &ones)?.len(), 1000);
    assert_eq!(download(&second, &others)?, source);
    context.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = CudaContext::new(0)?;
    let (first, second, owner) = (context.new_stream()?, context.new_stream()?, context.new_stream()?);
    let source = vec![7u32; 1000];
    let device = owner.clone_htod(&source)?;
    let ones = first.clone_dtod(&device)?;
    let others = second.clone_dtod(&device)?;
    owner.join(&first)?;
    drop(device);
    assert_eq!(download(&first, &ones)?, source);
    assert_eq!(download(&second, &others)?, source);
    context.synchronize()?;
    Ok(())
}
