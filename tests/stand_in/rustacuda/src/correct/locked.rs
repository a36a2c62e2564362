//! Page-locked memory on either side of copies while the host waits.

use programs::Outcome;
use rustacuda::memory::{CopyDestination, DeviceBuffer, LockedBuffer};

pub(super) fn run() -> Outcome {
    let _context = rustacuda::quick_init()?;
    let source: Vec<u32> = (0..1000).collect();
    let mut locked = LockedBuffer::from_slice(&source)?;
    let device = DeviceBuffer::from_slice(&locked)?;
    locked.as_mut_slice().fill(0);
    device.copy_to(&mut locked)?;
    assert_eq!(locked.as_slice(), source);
    Ok(())
}
