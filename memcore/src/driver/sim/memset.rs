//! Fills with a repeated value, of one run of bytes or of rows.

use super::call::{Answer, Call};
use super::machine::Machine;
use super::memory::Kind;
use super::operation::Op;
use super::rows::Rows;
use crate::driver::ffi::{CUdeviceptr, CUstream};
use crate::error::Status;

/// What a memset writes: rows of as many values, which start a pitch apart.
#[derive(Clone, Copy, Debug)]
struct Area {
    dst: CUdeviceptr,
    pitch: usize,
    width: usize,
    height: usize,
}

impl Area {
    /// One row.
    const fn run(dst: CUdeviceptr, count: usize) -> Self {
        Self { dst, pitch: 0, width: count, height: 1 }
    }
}

impl Machine {
    /// # Safety
    ///
    /// The driver contract of the destination.
    unsafe fn set(&mut self, call: &Call, stream: u64, area: Area, value: &[u8], synchronous: bool) -> Answer {
        let Area { dst, pitch, width, height } = area;
        let unit = value.len();
        let bytes = width.checked_mul(unit).ok_or(Status::INVALID_VALUE)?;
        if !dst.is_multiple_of(unit as u64) || (height > 1 && !pitch.is_multiple_of(unit)) {
            return Err(Status::INVALID_VALUE);
        }
        if bytes == 0 || height == 0 {
            return Ok(());
        }
        let rows = Rows::new(dst, [bytes as u64, height as u64, 1], pitch as u64, 0).ok_or(Status::INVALID_VALUE)?;
        // SAFETY: this function's contract.
        let to = unsafe { self.operand(call, stream, rows, "writes") }?;
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
}

/// The four memsets of a value of one width.
macro_rules! memsets {
    ($value:ty: $run:ident, $run_async:ident, $rows:ident, $rows_async:ident) => {
        impl Machine {
            pub(super) unsafe fn $run(&mut self, call: &Call, dst: CUdeviceptr, value: $value, count: usize) -> Answer {
                let stream = self.legacy_key(call)?;
                // SAFETY: the driver contract.
                unsafe { self.set(call, stream, Area::run(dst, count), &value.to_ne_bytes(), true) }
            }

            pub(super) unsafe fn $run_async(
                &mut self,
                call: &Call,
                dst: CUdeviceptr,
                value: $value,
                count: usize,
                stream: CUstream,
            ) -> Answer {
                let stream = self.stream_key(call, stream)?;
                // SAFETY: the driver contract.
                unsafe { self.set(call, stream, Area::run(dst, count), &value.to_ne_bytes(), false) }
            }

            pub(super) unsafe fn $rows(
                &mut self,
                call: &Call,
                dst: CUdeviceptr,
                pitch: usize,
                value: $value,
                width: usize,
                height: usize,
            ) -> Answer {
                let stream = self.legacy_key(call)?;
                let area = Area { dst, pitch, width, height };
                // SAFETY: the driver contract.
                unsafe { self.set(call, stream, area, &value.to_ne_bytes(), true) }
            }

            #[allow(clippy::too_many_arguments, reason = "the driver's own")]
            pub(super) unsafe fn $rows_async(
                &mut self,
                call: &Call,
                dst: CUdeviceptr,
                pitch: usize,
                value: $value,
                width: usize,
                height: usize,
                stream: CUstream,
            ) -> Answer {
                let stream = self.stream_key(call, stream)?;
                let area = Area { dst, pitch, width, height };
                // SAFETY: the driver contract.
                unsafe { self.set(call, stream, area, &value.to_ne_bytes(), false) }
            }
        }
    };
}

memsets!(u8: memset_d8, memset_d8_async, memset_d2d8, memset_d2d8_async);
memsets!(u16: memset_d16, memset_d16_async, memset_d2d16, memset_d2d16_async);
memsets!(u32: memset_d32, memset_d32_async, memset_d2d32, memset_d2d32_async);
