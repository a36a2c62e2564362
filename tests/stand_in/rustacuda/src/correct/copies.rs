//! Device memory: allocated, and copied while the host waits, whole and in parts.

use programs::Outcome;
use rustacuda::context::CurrentContext;
use rustacuda::memory::{CopyDestination, DeviceBox, DeviceBuffer};

pub(super) fn run() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let source: Vec<u32> = (0..1000).collect();
    let mut back = vec![1u32; 1000];
    let mut device = DeviceBuffer::from_slice(&source)?;
    device.copy_to(&mut back[..])?;
    assert_eq!(back, source);

    let mut copy = DeviceBuffer::from_slice(&[9u32; 1000])?;
    copy[..500].copy_from(&device[500..])?;
    let (low, high) = device.split_at_mut(100);
    high[..100].copy_from(&*low)?;
    low.copy_from(&[7u32; 100])?;
    for (chunk, expected) in copy.chunks(250).zip([&source[500..750], &source[750..], &[9; 250], &[9; 250]]) {
        let mut back = vec![0u32; 250];
        chunk.copy_to(&mut back[..])?;
        assert_eq!(back, expected);
    }
    device.copy_to(&mut back[..])?;
    assert_eq!(back, [&[7; 100], &source[..100], &source[200..]].concat());

    let mut one = DeviceBox::new(&5u64)?;
    let mut value = 0;
    one.copy_to(&mut value)?;
    assert_eq!(value, 5);
    one.copy_from(&6)?;
    one.copy_to(&mut value)?;
    assert_eq!(value, 6);
    // A copy on the device may still be under way when its function returns.
    CurrentContext::synchronize()?;
    Ok(())
}
