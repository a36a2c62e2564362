//! Events: recorded, waited for by the host and by streams, and the time between two.

use cudarc::driver::CudaContext;
use cudarc::driver::sys::CUevent_flags;
use programs::Outcome;

use crate::wait::download;

pub(super) fn run() -> Outcome {
    let context = CudaContext::new(0)?;
    let (first, second) = (context.new_stream()?, context.new_stream()?);
    let start = first.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
    let source = vec![3u32; 4096];
    let device = first.clone_htod(&source)?;
    let end = first.record_event(Some(CUevent_flags::CU_EVENT_DEFAULT))?;
    second.wait(&end)?;
    let copy = second.clone_dtod(&device)?;
    let done = second.record_event(None)?;
    done.synchronize()?;
    assert!(done.is_complete() && end.try_is_complete()?);
    assert!(start.elapsed_ms(&end)? >= 0.0);
    assert_eq!(download(&second, &copy)?, source);
    Ok(())
}
