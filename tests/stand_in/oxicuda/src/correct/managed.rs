//! Managed memory: touched by the host, advised, prefetched, and either side of copies.

use oxicuda_driver::Device;
use oxicuda_memory::{DeviceBuffer, ManagedMemoryHints, MigrationPolicy, UnifiedBuffer};
use programs::Outcome;

use crate::context::Open;

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let (stream, device) = (open.stream()?, Device::get(0)?);
    let mut managed = UnifiedBuffer::<u32>::alloc(1000)?;
    managed.as_mut_slice().fill(5);
    let hints = ManagedMemoryHints::from_unified(&managed)?;
    hints.set_read_mostly(&device)?;
    hints.unset_read_mostly(&device)?;
    hints.set_accessed_by(&device)?;
    hints.apply_policy(&MigrationPolicy::PreferDevice(0), &device)?;
    hints.apply_policy(&MigrationPolicy::PreferHost, &device)?;
    hints.prefetch_to(&device, &stream)?;
    hints.prefetch_range(400, 400, &device, &stream)?;
    stream.synchronize()?;
    assert_eq!(managed.as_slice(), [5; 1000]);

    let mut copy = DeviceBuffer::alloc(1000)?;
    copy.copy_from_host_async(managed.as_slice(), &stream)?;
    stream.synchronize()?;
    managed.as_mut_slice().fill(0);
    copy.copy_to_host_async(managed.as_mut_slice(), &stream)?;
    stream.synchronize()?;
    assert_eq!(managed.as_slice(), [5; 1000]);
    Ok(())
}
