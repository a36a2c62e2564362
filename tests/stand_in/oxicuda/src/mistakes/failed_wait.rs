//@ MEMCORE_SIM_FAULTS=nth:cuStreamSynchronize:1:999
//! A wait fails, and the library fills its page-locked memory anew while the copy may still read it.

use oxicuda_memory::{DeviceBuffer, StagingBuffer};
use programs::Outcome;

use crate::context::Open;

pub(super) fn wrong() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut device = DeviceBuffer::alloc(1000)?;
    let mut staging = StagingBuffer::new();
    let failed = staging.upload(&mut device, &[7u32; 1000], &stream); //~ host_in_flight
    assert!(failed.is_err());
    staging.upload(&mut device, &[8u32; 1000], &stream)?;
    stream.synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let mut device = DeviceBuffer::alloc(1000)?;
    let mut staging = StagingBuffer::new();
    let failed = staging.upload(&mut device, &[7u32; 1000], &stream);
    assert!(failed.is_err());
    stream.synchronize()?;
    staging.upload(&mut device, &[8u32; 1000], &stream)?;
    let mut back = vec![0u32; 1000];
    device.copy_to_host(&mut back)?;
    assert_eq!(back, [8; 1000]);
    Ok(())
}
