//! What changes behind a shared reference, or has bytes that nobody wrote, has no side that the device reads.
use memcore::prelude::*;
use std::cell::Cell;

fn main() -> memcore::Result<()> {
    let cells = UnifiedBuffer::<Cell<u64>>::zeroed(16)?;
    let _ = cells.as_device_slice();
    let mut padded = UnifiedBuffer::<(u8, u32)>::zeroed(4)?;
    let _ = padded.as_device_slice_mut();
    let mut flags = unified_vec![true; 4]?;
    let _ = flags.as_device_slice_mut();
    Ok(())
}
