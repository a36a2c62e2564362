//! Page-locked memory, both ways.

use cudarc::driver::CudaContext;
use programs::Outcome;

use crate::allocate;

pub(super) fn run() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let mut host = allocate::locked(&context, 5000, 41)?;
    let mut device = stream.clone_htod(&host)?;
    // Waits for the copy that reads it.
    host.as_mut_slice()?.fill(1);
    let mut back = allocate::locked(&context, 5000, 0)?;
    stream.memcpy_dtoh(&device, &mut back)?;
    assert_eq!(back.as_slice()?, [41; 5000]);
    stream.memcpy_htod(&host, &mut device)?;
    stream.memcpy_dtoh(&device, &mut back)?;
    assert_eq!(back.as_slice()?, [1; 5000]);
    Ok(())
}
