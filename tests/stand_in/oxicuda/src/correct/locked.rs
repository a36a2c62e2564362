//! Page-locked memory, of the driver's, mapped, and registered.

use oxicuda_memory::copy::{copy_dtoh_async, copy_dtoh_region_async, copy_htod_async, copy_htod_region_async};
use oxicuda_memory::{DeviceBuffer, MappedBuffer, PinnedBuffer, RegisterFlags, RegisteredMemoryType};
use oxicuda_memory::{query_registered_pointer_info, register_vec};
use programs::Outcome;

use crate::context::Open;

pub(super) fn run() -> Outcome {
    let open = Open::new()?;
    let stream = open.stream()?;
    let source: Vec<u32> = (0..1000).collect();
    let host = PinnedBuffer::from_slice(&source)?;
    let mut back = PinnedBuffer::<u32>::alloc(1000)?;
    let mut device = DeviceBuffer::alloc(1000)?;
    copy_htod_async(&mut device, &host, &stream)?;
    copy_dtoh_async(&mut back, &device, &stream)?;
    stream.synchronize()?;
    assert_eq!(back[..], source);
    copy_htod_region_async(&mut device, 900, &host, 100, &stream)?;
    copy_dtoh_region_async(&mut back, &device, 850, 100, &stream)?;
    stream.synchronize()?;
    assert_eq!(back[..50], source[850..900]);
    assert_eq!(back[50..100], source[..50]);

    let mut mapped = MappedBuffer::<u32>::alloc(100)?;
    mapped.as_host_slice_mut().fill(4);
    assert_ne!(mapped.as_device_ptr(), 0);
    assert_eq!(mapped.as_host_slice(), [4; 100]);

    let mut vec = vec![6u32; 1000];
    let registered = register_vec(&mut vec, RegisterFlags::DEFAULT)?;
    let info = query_registered_pointer_info(registered.as_ptr().cast())?;
    assert_eq!(info.memory_type, RegisteredMemoryType::Host);
    device.copy_from_host_async(&registered, &stream)?;
    stream.synchronize()?;
    drop(registered);
    vec.fill(0);
    device.copy_to_host(&mut vec)?;
    assert_eq!(vec, [6; 1000]);
    Ok(())
}
