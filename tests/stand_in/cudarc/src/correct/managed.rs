//! Managed memory: touched by the host, used as either side of copies, prefetched, attached to a stream.

use cudarc::driver::CudaContext;
use cudarc::driver::sys::CUmemAttach_flags;
use programs::Outcome;

use crate::allocate;
use crate::wait::download;

pub(super) fn run() -> Outcome {
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let mut managed = allocate::managed(&context, 2048, 5)?;
    managed.prefetch()?;
    // As the device's side of a copy.
    assert_eq!(download(&stream, &managed)?, [5; 2048]);
    let sixes = vec![6u32; 1024];
    stream.memcpy_htod(&sixes, &mut managed.slice_mut(1024..))?;
    stream.synchronize()?;
    assert_eq!(managed.as_slice()?, [[5; 1024], [6; 1024]].concat());
    // As the host's.
    let device = stream.clone_htod(&managed)?;
    stream.memset_zeros(&mut managed)?;
    stream.synchronize()?;
    assert_eq!(managed.as_slice()?, [0; 2048]);
    stream.memcpy_dtoh(&device, &mut managed)?;
    stream.synchronize()?;
    managed.as_mut_slice()?[0] = 9;

    managed.attach(&stream, CUmemAttach_flags::CU_MEM_ATTACH_SINGLE)?;
    stream.synchronize()?;
    let copy = stream.clone_dtod(&managed)?;
    stream.synchronize()?;
    assert_eq!(managed.as_slice()?[..2], [9, 5]);
    assert_eq!(download(&stream, &copy)?[..2], [9, 5]);
    Ok(())
}
