//! Fills with a repeated value.

use super::call::{Answer, Call};
use super::machine::Machine;
use super::memory::Kind;
use super::operation::Op;
use crate::driver::ffi::{CUdeviceptr, CUstream};
use crate::error::Status;

impl Machine {
    /// # Safety
    ///
    /// The driver contract of the destination.
    unsafe fn set(
        &mut self,
        call: &Call,
        stream: u64,
        (dst, count): (u64, usize),
        value: &[u8],
        synchronous: bool,
    ) -> Answer {
        let unit = value.len();
        let bytes = count.checked_mul(unit).ok_or(Status::INVALID_VALUE)?;
        if !dst.is_multiple_of(unit as u64) {
            return Err(Status::INVALID_VALUE);
        }
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: this function's contract.
        let to = unsafe { self.operand(call, stream, (dst, bytes as u64), "writes") }?;
        let on_device = self.kind_of(&to).is_some_and(Kind::is_device);
        let mut pattern = [0; 4];
        for (byte, of) in pattern.iter_mut().zip(value) {
            *byte = *of;
        }
        let id = self.issue(call, stream, Op::Fill { to, pattern, unit }, None)?;
        if synchronous && !on_device {
            self.force(&[id]);
            self.host_joins(stream);
        }
        Ok(())
    }

    pub(super) unsafe fn memset_d8(&mut self, call: &Call, dst: CUdeviceptr, value: u8, count: usize) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.set(call, stream, (dst, count), &value.to_ne_bytes(), true) }
    }

    pub(super) unsafe fn memset_d16(&mut self, call: &Call, dst: CUdeviceptr, value: u16, count: usize) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.set(call, stream, (dst, count), &value.to_ne_bytes(), true) }
    }

    pub(super) unsafe fn memset_d32(&mut self, call: &Call, dst: CUdeviceptr, value: u32, count: usize) -> Answer {
        let stream = self.legacy_key(call)?;
        // SAFETY: the driver contract.
        unsafe { self.set(call, stream, (dst, count), &value.to_ne_bytes(), true) }
    }

    pub(super) unsafe fn memset_d8_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        value: u8,
        count: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.set(call, stream, (dst, count), &value.to_ne_bytes(), false) }
    }

    pub(super) unsafe fn memset_d16_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        value: u16,
        count: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.set(call, stream, (dst, count), &value.to_ne_bytes(), false) }
    }

    pub(super) unsafe fn memset_d32_async(
        &mut self,
        call: &Call,
        dst: CUdeviceptr,
        value: u32,
        count: usize,
        stream: CUstream,
    ) -> Answer {
        let stream = self.stream_key(call, stream)?;
        // SAFETY: the driver contract.
        unsafe { self.set(call, stream, (dst, count), &value.to_ne_bytes(), false) }
    }
}
