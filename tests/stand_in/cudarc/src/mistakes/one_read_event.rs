//! A slice has one event for all who read it: the second reader's takes the place of the first's, and a writer waits for the second alone.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let context = CudaContext::new(0)?;
    let (first, second, writer) = (context.new_stream()?, context.new_stream()?, context.new_stream()?);
    let source = vec![7u32; 1000];
    let mut device = writer.clone_htod(&source)?;
    let ones = first.clone_dtod(&device)?; //~ other
    let others = second.clone_dtod(&device)?;
    writer.memset_zeros(&mut device)?; //~ write_after_read
    assert_eq!(download(&first, &ones)?.len(), 1000);
    assert_eq!(download(&second, &others)?, source);
    context.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let context = CudaContext::new(0)?;
    let (first, second, writer) = (context.new_stream()?, context.new_stream()?, context.new_stream()?);
    let source = vec![7u32; 1000];
    let mut device = writer.clone_htod(&source)?;
    let ones = first.clone_dtod(&device)?;
    let others = second.clone_dtod(&device)?;
    writer.join(&first)?;
    writer.memset_zeros(&mut device)?;
    assert_eq!(download(&first, &ones)?, source);
    assert_eq!(download(&second, &others)?, source);
    context.synchronize()?;
    Ok(())
}
