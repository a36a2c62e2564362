//! Copies that only programs of other libraries make.

use core::ffi::c_void;

use super::super::array::first_row;
use super::super::call::{Answer, Call, as_handle};
use super::super::copy::{device, host, unified};
use super::super::machine::Machine;
use crate::driver::ffi::{CUDA_MEMCPY3D, CUarray, CUdeviceptr, CUstream, HOST_DEVICE_MAPPED};
use crate::error::Status;

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

    pub(in super::super) unsafe fn memcpy_dtoa(
        &mut self,
        call: &Call,
        dst: CUarray,
        offset: usize,
        src: CUdeviceptr,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (first_row(dst, offset, bytes), device(src, bytes)?), true) }
    }

    pub(in super::super) unsafe fn memcpy_atod(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: CUarray,
        offset: usize,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (device(dst, bytes)?, first_row(src, offset, bytes)), true) }
    }

    pub(in super::super) unsafe fn memcpy_htoa(
        &mut self,
        call: &Call,
        dst: CUarray,
        offset: usize,
        src: *const c_void,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (first_row(dst, offset, bytes), host(src, bytes)?), true) }
    }

    pub(in super::super) unsafe fn memcpy_atoh(
        &mut self,
        call: &Call,
        dst: *mut c_void,
        src: CUarray,
        offset: usize,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (host(dst, bytes)?, first_row(src, offset, bytes)), true) }
    }

    pub(in super::super) unsafe fn memcpy_atoa(
        &mut self,
        call: &Call,
        dst: CUarray,
        to: usize,
        src: CUarray,
        from: usize,
        bytes: usize,
    ) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (first_row(dst, to, bytes), first_row(src, from, bytes)), true) }
    }

    pub(in super::super) unsafe fn memcpy_htoa_async(
        &mut self,
        call: &Call,
        dst: CUarray,
        offset: usize,
        src: *const c_void,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (first_row(dst, offset, bytes), host(src, bytes)?), false) }
    }

    pub(in super::super) unsafe fn memcpy_atoh_async(
        &mut self,
        call: &Call,
        dst: *mut c_void,
        src: CUarray,
        offset: usize,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (host(dst, bytes)?, first_row(src, offset, bytes)), false) }
    }

    /// As other copies between contexts, in order with both.
    pub(in super::super) unsafe fn memcpy_3d_peer(&mut self, call: &Call, copy: *const CUDA_MEMCPY3D) -> Answer {
        let stream = self.legacy_key(call)?;
        if copy.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, so good for a read by the driver contract.
        let CUDA_MEMCPY3D { dst_context, src_context, .. } = unsafe { copy.read() };
        let contexts = [dst_context, src_context].map(as_handle);
        self.check_contexts(contexts)?;
        self.serialised(call, stream, contexts, |machine| {
            // SAFETY: the driver contract.
            unsafe { machine.copy_3d(call, stream, copy, false) }
        })
    }
}
