//! Arrays have elements of 1, 2 or 4 channels of a format that textures have.
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<f64>::uninitialized(16)? };
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<[u8; 3]>::uninitialized([16, 16])? };
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<[f64; 2]>::uninitialized([4, 16, 16])? };
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<bool>::uninitialized(16)? };
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<(u8, u8)>::uninitialized(16)? };
    Ok(())
}
