//! The destination of a download is longer than its source, which cudarc allows, and copies as many bytes as the *destination*
//! has: past the source's end.

use cudarc::driver::CudaContext;
use programs::Outcome;

pub(super) fn wrong() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let source = [7u32; 256];
    let device = stream.clone_htod(&source)?;
    stream.synchronize()?;
    let mut back = vec![0u32; 300];
    let copied = stream.memcpy_dtoh(&device, &mut back); //~ out_of_bounds
    assert!(copied.is_err());
    Ok(())
}

pub(super) fn right() -> Outcome {
    let stream = CudaContext::new(0)?.new_stream()?;
    let source = [7u32; 256];
    let device = stream.clone_htod(&source)?;
    let mut back = vec![0u32; 300];
    stream.memcpy_dtoh(&device, &mut back[..256])?;
    stream.synchronize()?;
    assert_eq!(back, [vec![7; 256], vec![0; 44]].concat());
    Ok(())
}
