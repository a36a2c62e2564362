//@ MEMCORE_SIM_DEVICES=2
//! Two devices: cudarc copies between their contexts.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn run() -> Outcome {
    assert_eq!(CudaContext::device_count()?, 2);
    let (here, there) = (CudaContext::new(0)?, CudaContext::new(1)?);
    assert_ne!(here.uuid()?.bytes, there.uuid()?.bytes);
    let (ours, theirs) = (here.new_stream()?, there.new_stream()?);
    let source: Vec<u32> = (0..3000).collect();
    let device = ours.clone_htod(&source)?;
    let copy = theirs.clone_dtod(&device)?;
    assert_eq!(download(&theirs, &copy)?, source);

    let mut back = ours.alloc_zeros::<u32>(3000)?;
    ours.memcpy_dtod(&copy.slice(1000..2000), &mut back.slice_mut(..1000))?;
    assert_eq!(download(&ours, &back.slice(..1000))?, source[1000..2000]);
    Ok(())
}
