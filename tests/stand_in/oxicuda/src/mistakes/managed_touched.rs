//@ MEMCORE_SIM_WITHOUT=concurrent_managed_access
//! Managed memory is a plain slice to the program, which touches it while a stream is at it, on a device that does not allow that.

use oxicuda_driver::memory_info::memset_d32_async;
use oxicuda_memory::UnifiedBuffer;
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut managed = UnifiedBuffer::<u32>::alloc(1000)?; //~ host_in_flight
    memset_d32_async(managed.as_device_ptr(), 1, 1000, &stream)?;
    managed.as_mut_slice()[0] = 2;
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut managed = UnifiedBuffer::<u32>::alloc(1000)?;
    memset_d32_async(managed.as_device_ptr(), 1, 1000, &stream)?;
    stream.synchronize()?;
    assert_eq!(managed.as_slice(), [1; 1000]);
    managed.as_mut_slice()[0] = 2;
    Ok(())
}
