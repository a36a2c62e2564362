//! Host memory that is not cached: what was written to it may still lie in a buffer of the core that wrote it.

use core::sync::atomic::{AtomicBool, Ordering};

/// Whether the process has ever had write-combined memory: where it has not, no copy needs a fence.
static HAS_WRITE_COMBINED: AtomicBool = AtomicBool::new(false);

/// Says that there is write-combined memory from now on. Called before the memory can be written.
pub(crate) fn note_write_combined_memory() {
    HAS_WRITE_COMBINED.store(true, Ordering::Release);
}

/// Comes before a device reads host memory: lets it see what this thread has written.
pub(super) fn before_the_device_reads() {
    if HAS_WRITE_COMBINED.load(Ordering::Acquire) {
        empty_write_buffers();
    }
}

/// Lets everyone see what this thread has written, write-combined memory included.
pub(crate) fn empty_write_buffers() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 processor has the instruction, and it has no other effect.
    unsafe {
        core::arch::x86_64::_mm_sfence();
    }
    #[cfg(not(target_arch = "x86_64"))]
    core::sync::atomic::fence(Ordering::SeqCst);
}
