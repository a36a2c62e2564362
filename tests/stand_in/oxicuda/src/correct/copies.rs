//! Device memory: allocated, set and copied while the host waits.

use oxicuda_memory::copy::{copy_dtod, copy_dtoh, copy_htod};
use oxicuda_memory::{DeviceBuffer, memory_info};
use programs::Outcome;

use crate::context::Open;

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let source: Vec<u32> = (0..1000).collect();
    let mut back = vec![1u32; 1000];

    let device = DeviceBuffer::from_host(&source)?;
    device.copy_to_host(&mut back)?;
    assert_eq!(back, source);

    let mut copy = DeviceBuffer::<u32>::zeroed(1000)?;
    copy.copy_to_host(&mut back)?;
    assert_eq!(back, [0; 1000]);
    copy.copy_from_device(&device)?;
    copy_dtoh(&mut back, &copy)?;
    assert_eq!(back, source);

    let nines = vec![9u32; 1000];
    copy_htod(&mut copy, &nines)?;
    let mut other = DeviceBuffer::alloc(1000)?;
    copy_dtod(&mut other, &copy)?;
    other.copy_to_host(&mut back)?;
    assert_eq!(back, nines);
    copy.copy_from_host(&source)?;
    copy.copy_to_host(&mut back)?;
    assert_eq!(back, source);

    assert_eq!(device.slice(10, 20)?.as_device_ptr(), device.as_device_ptr() + 40);
    assert_eq!(device.view_as::<u8>()?.len(), 4000);
    let memory = memory_info()?;
    assert!(memory.used() >= 12_000);
    // A copy on the device may still be under way when its function returns.
    open.context.synchronize()?;
    Ok(())
}
