//! What cudarc calls unsafe because the memory is not set. Here it is set before anyone has it, so that these are safe, and
//! what the programs do with it is 100 % safe code.

#![allow(unsafe_code, reason = "the one place of this package")]

use std::sync::Arc;

use cudarc::driver::{CudaContext, DriverError, PinnedHostSlice, UnifiedSlice};

/// Page-locked memory, all `value`.
pub(crate) fn locked(context: &Arc<CudaContext>, len: usize, value: u32) -> Result<PinnedHostSlice<u32>, DriverError> {
    // SAFETY: every element is written below, before anyone reads one.
    let mut memory = unsafe { context.alloc_pinned::<u32>(len) }?;
    memory.as_mut_slice()?.fill(value);
    Ok(memory)
}

/// Managed memory, all `value`.
pub(crate) fn managed(context: &Arc<CudaContext>, len: usize, value: u32) -> Result<UnifiedSlice<u32>, DriverError> {
    // SAFETY: as above.
    let mut memory = unsafe { context.alloc_unified::<u32>(len, true) }?;
    memory.as_mut_slice()?.fill(value);
    Ok(memory)
}
