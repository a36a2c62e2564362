//! A copy on the device that is called synchronous may still be under way when it returns: its source is dropped.

use programs::Outcome;
use rustacuda::context::CurrentContext;
use rustacuda::memory::{CopyDestination, DeviceBuffer};

pub(super) fn wrong() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let source = DeviceBuffer::from_slice(&[7u32; 1000])?;
    let mut device = DeviceBuffer::from_slice(&[0u32; 1000])?;
    CurrentContext::synchronize()?;
    device.copy_from(&source)?; //~ use_after_free
    drop(source); //~ freed
    CurrentContext::synchronize()?;
    Ok(())
}

pub(super) fn right() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let source = DeviceBuffer::from_slice(&[7u32; 1000])?;
    let mut device = DeviceBuffer::from_slice(&[0u32; 1000])?;
    device.copy_from(&source)?;
    CurrentContext::synchronize()?;
    drop(source);
    let mut back = [0u32; 1000];
    device.copy_to(&mut back)?;
    assert_eq!(back, [7; 1000]);
    Ok(())
}
