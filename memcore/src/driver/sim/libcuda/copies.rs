//! Copies that only programs of other libraries make.

use core::ffi::c_void;

use super::super::call::{Answer, Call};
use super::super::copy::unified;
use super::super::machine::Machine;
use crate::driver::ffi::{CUdeviceptr, CUstream, HOST_DEVICE_MAPPED};

impl Machine {
    /// Page-locked memory without flags, which the driver maps all the same.
    pub(in super::super) unsafe fn mem_alloc_locked(
        &mut self,
        call: &Call,
        out: *mut *mut c_void,
        bytes: usize,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.mem_host_alloc(call, out, bytes, HOST_DEVICE_MAPPED) }
    }

    pub(in super::super) unsafe fn memcpy(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (unified(dst, bytes)?, unified(src, bytes)?), true) }
    }

    pub(in super::super) unsafe fn memcpy_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (unified(dst, bytes)?, unified(src, bytes)?), false) }
    }
}
