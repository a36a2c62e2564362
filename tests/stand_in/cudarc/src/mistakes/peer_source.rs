//@ MEMCORE_SIM_DEVICES=2
//! A copy to another device runs on the destination's stream, and cudarc records the source's event on the source's: the next
//! writer of the source does not wait for it.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn wrong() -> Outcome {
    let (here, there) = (CudaContext::new(0)?, CudaContext::new(1)?);
    let (ours, theirs) = (here.new_stream()?, there.new_stream()?);
    let source = vec![7u32; 1000];
    let mut device = ours.clone_htod(&source)?;
    let copy = theirs.clone_dtod(&device)?; //~ other
    ours.memset_zeros(&mut device)?; //~ write_after_read
    assert_eq!(download(&theirs, &copy)?.len(), 1000);
    ours.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let (here, there) = (CudaContext::new(0)?, CudaContext::new(1)?);
    let (ours, theirs) = (here.new_stream()?, there.new_stream()?);
    let source = vec![7u32; 1000];
    let mut device = ours.clone_htod(&source)?;
    let copy = theirs.clone_dtod(&device)?;
    ours.join(&theirs)?;
    ours.memset_zeros(&mut device)?;
    assert_eq!(download(&theirs, &copy)?, source);
    ours.synchronize()?;
    Ok(())
}
