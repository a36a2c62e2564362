//! Managed memory: touched by the host, and either side of copies.

use programs::Outcome;
use rustacuda::context::CurrentContext;
use rustacuda::memory::{CopyDestination, DeviceBuffer, UnifiedBox, UnifiedBuffer};

pub(super) fn run() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let mut one = UnifiedBox::new(5u64)?;
    *one += 1;
    assert_eq!(*one, 6);
    let mut managed = UnifiedBuffer::new(&3u32, 1000)?;
    managed[500..].fill(4);
    let device = DeviceBuffer::from_slice(&managed)?;
    CurrentContext::synchronize()?;
    managed.fill(0);
    device.copy_to(&mut managed)?;
    CurrentContext::synchronize()?;
    assert_eq!(managed[..], [[3; 500], [4; 500]].concat());
    Ok(())
}
