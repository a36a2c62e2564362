//! Streams that wait for each other, by cudarc's own tracking and by hand.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::wait::download;

pub(super) fn run() -> Outcome {
    let context = CudaContext::new_non_primary(0, 0)?;
    let first = context.new_stream_with_priority(-1)?;
    let source: Vec<u32> = (0..4096).collect();
    let mut device = first.clone_htod(&source)?;
    // It waits for all that is queued on `first`.
    let second = first.fork()?;
    let copy = second.clone_dtod(&device)?;
    // cudarc orders this behind the read on `second`.
    first.memset_zeros(&mut device)?;
    first.join(&second)?;
    assert_eq!(download(&first, &copy)?, source);
    assert_eq!(download(&second, &device)?, [0; 4096]);
    // Freed on `first`, which waits for `second` before.
    second.memset_zeros(&mut device)?;
    drop(device);
    let streams = [context.new_stream()?, context.new_stream()?, context.new_stream()?];
    let devices = streams.iter().map(|stream| stream.clone_htod(&source)).collect::<Result<Vec<_>, _>>()?;
    for (stream, device) in streams.iter().cycle().skip(1).zip(&devices) {
        assert_eq!(download(stream, device)?, source);
    }
    context.synchronize()?;
    Ok(())
}
