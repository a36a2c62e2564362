//! The twin of `fail_array_element`.
use memcore::memory::array::Half;
use memcore::prelude::*;

fn main() -> memcore::Result<()> {
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<f32>::uninitialized(16)? };
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<[u8; 4]>::uninitialized([16, 16])? };
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<[f32; 2]>::uninitialized([4, 16, 16])? };
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<u8>::uninitialized(16)? };
    // SAFETY: nothing is read.
    let _ = unsafe { ArrayObject::<[Half; 2]>::uninitialized(16)? };
    Ok(())
}
