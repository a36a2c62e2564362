//! `CudaContext::new` gives the device's one context each time, but counts each value's streams on their own: a slice of the one is not
//! ordered with the streams of the other.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let (context, other) = (CudaContext::new(0)?, CudaContext::new(0)?);
    assert_eq!(context, other);
    let stream = other.new_stream()?;
    let source = vec![7u32; 1000];
    let device = context.default_stream().clone_htod(&source)?; //~ other
    let copy = stream.clone_dtod(&device)?; //~ read_after_write
    assert_eq!(download(&stream, &copy)?.len(), 1000);
    context.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let source = vec![7u32; 1000];
    let device = context.default_stream().clone_htod(&source)?;
    let copy = stream.clone_dtod(&device)?;
    assert_eq!(download(&stream, &copy)?, source);
    Ok(())
}
