//! Copies, and page-locked memory, in the forms that only programs of others use: between whatever two addresses are, and bytes of an array's first row.

use core::ffi::c_void;

use super::super::array::Part;
use super::super::call::{Answer, Call, as_handle, read_in};
use super::super::copy::{Side, device, host};
use super::super::machine::Machine;
use crate::driver::ffi::{CUDA_MEMCPY3D, CUarray, CUdeviceptr, CUstream, HOST_DEVICE_MAPPED};

/// `bytes` at an address that is the host's or a device's.
fn any(address: CUdeviceptr, bytes: usize) -> Answer<Side> {
    host(core::ptr::with_exposed_provenance(address as usize), bytes)
}

/// `bytes` of an array, from a byte of its first row on.
fn part(array: CUarray, offset: usize, bytes: usize) -> Side {
    Side::Array(Part { array: as_handle(array), begin: [offset, 0, 0], shape: [bytes, 1, 1] })
}

impl Machine {
    /// # Safety
    ///
    /// The driver contract of both sides.
    unsafe fn copy_on_default(&mut self, call: &Call, sides: (Side, Side)) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: this function's contract.
        unsafe { self.copy(call, stream, sides, true) }
    }

    pub(in super::super) unsafe fn memcpy_any(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        bytes: usize,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.copy_on_default(call, (any(dst, bytes)?, any(src, bytes)?)) }
    }

    pub(in super::super) unsafe fn memcpy_any_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.copy(call, stream, (any(dst, bytes)?, any(src, bytes)?), false) }
    }

    pub(in super::super) unsafe fn memcpy_dtoa(
        &mut self,
        call: &Call,
        dst: CUarray,
        offset: usize,
        src: CUdeviceptr,
        bytes: usize,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.copy_on_default(call, (part(dst, offset, bytes), device(src, bytes)?)) }
    }

    pub(in super::super) unsafe fn memcpy_atod(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        src: CUarray,
        offset: usize,
        bytes: usize,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.copy_on_default(call, (device(dst, bytes)?, part(src, offset, bytes))) }
    }

    pub(in super::super) unsafe fn memcpy_htoa(
        &mut self,
        call: &Call,
        dst: CUarray,
        offset: usize,
        src: *const c_void,
        bytes: usize,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.copy_on_default(call, (part(dst, offset, bytes), host(src, bytes)?)) }
    }

    pub(in super::super) unsafe fn memcpy_atoh(
        &mut self,
        call: &Call,
        dst: *mut c_void,
        src: CUarray,
        offset: usize,
        bytes: usize,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.copy_on_default(call, (host(dst, bytes)?, part(src, offset, bytes))) }
    }

    pub(in super::super) unsafe fn memcpy_atoa(
        &mut self,
        call: &Call,
        dst: CUarray,
        dst_offset: usize,
        src: CUarray,
        src_offset: usize,
        bytes: usize,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.copy_on_default(call, (part(dst, dst_offset, bytes), part(src, src_offset, bytes))) }
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
        unsafe { self.copy(call, stream, (part(dst, offset, bytes), host(src, bytes)?), false) }
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
        unsafe { self.copy(call, stream, (host(dst, bytes)?, part(src, offset, bytes)), false) }
    }

    /// Queued on the default stream, which orders it behind both contexts' work as far as that is documented.
    pub(in super::super) unsafe fn memcpy_3d_peer(&mut self, call: &Call, copy: *const CUDA_MEMCPY3D) -> Answer {
        // SAFETY: the driver contract.
        let read = unsafe { read_in(copy) }?;
        self.check_contexts([read.dst_context, read.src_context].map(as_handle))?;
        // SAFETY: the driver contract.
        unsafe { self.memcpy_3d(call, copy) }
    }

    pub(in super::super) unsafe fn mem_alloc_host(
        &mut self,
        call: &Call,
        out: *mut *mut c_void,
        bytes: usize,
    ) -> Answer {
        // SAFETY: the driver contract.
        unsafe { self.mem_host_alloc(call, out, bytes, HOST_DEVICE_MAPPED) }
    }
}
