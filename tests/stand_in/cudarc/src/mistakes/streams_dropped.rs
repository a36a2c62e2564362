//! The last stream is dropped before its work is done: cudarc stops to order streams where it counts none, and nobody waits for
//! that work.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let mut device = context.default_stream().alloc_zeros::<u32>(1000)?;
    let source = vec![7u32; 1000];
    stream.memcpy_htod(&source, &mut device)?; //~ other
    drop(stream);
    let back = context.default_stream().clone_dtoh(&device)?; //~ read_after_write
    context.synchronize()?;
    assert_eq!(back.len(), 1000);
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let mut device = context.default_stream().alloc_zeros::<u32>(1000)?;
    let source = vec![7u32; 1000];
    stream.memcpy_htod(&source, &mut device)?;
    context.default_stream().join(&stream)?;
    drop(stream);
    assert_eq!(download(&context.default_stream(), &device)?, source);
    Ok(())
}
