//! Managed memory moved ahead of use, and hints about its use: pages have no place here, so that only the rules are
//! kept.

use super::call::{Answer, Call};
use super::machine::Machine;
use super::memory::Kind;
use super::operation::Op;
use crate::driver::ffi::{CUdevice, CUdeviceptr, CUstream};
use crate::error::Status;

/// `CU_DEVICE_CPU`.
const HOST: CUdevice = -1;
/// `CU_MEM_ADVISE_SET_READ_MOSTLY` to `CU_MEM_ADVISE_UNSET_ACCESSED_BY`.
const ADVICE: core::ops::RangeInclusive<u32> = 1..=6;

impl Machine {
    /// Checks that the bytes are managed and the place exists.
    fn managed_at(&self, address: CUdeviceptr, bytes: usize, place: CUdevice) -> Answer {
        let is_place = place == HOST || usize::try_from(place).is_ok_and(|index| index < self.devices.len());
        if bytes == 0 || !is_place {
            return Err(if is_place { Status::INVALID_VALUE } else { Status::INVALID_DEVICE });
        }
        let one = self.memory.holding(address).filter(|one| one.kind == Kind::Managed);
        let inside = one.is_some_and(|one| bytes as u64 <= one.end() - address);
        if inside { Ok(()) } else { Err(Status::INVALID_VALUE) }
    }

    pub(super) fn mem_prefetch(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        device: CUdevice,
        stream: CUstream,
    ) -> Answer {
        let key = self.stream_key(call, stream)?;
        self.refuse_captured(key)?;
        self.managed_at(address, bytes, device)?;
        self.issue(call, key, Op::Barrier, None)?;
        Ok(())
    }

    pub(super) fn mem_advise(
        &mut self,
        call: &Call,
        address: CUdeviceptr,
        bytes: usize,
        advice: u32,
        device: CUdevice,
    ) -> Answer {
        self.check_current(call)?;
        // Two kinds of advice name no place, and the driver does not look at one.
        let place = if matches!(advice, 1 | 2 | 4) { HOST } else { device };
        if !ADVICE.contains(&advice) {
            return Err(Status::INVALID_VALUE);
        }
        self.managed_at(address, bytes, place)
    }
}
