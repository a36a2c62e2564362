//! How a context is set up for kernels, which changes nothing here. The limits are an H200's (`scripts/probes/contexts.py`).

use super::super::call::{Answer, Call, write_out};
use super::super::machine::Machine;
use crate::error::Status;

/// `CU_LIMIT_DEV_RUNTIME_SYNC_DEPTH`, which newer devices have no more.
const SYNC_DEPTH: usize = 3;
/// `CU_LIMIT_SHMEM_SIZE`: it and those after it can only be asked for.
const FIRST_FIXED: usize = 7;
/// `CU_FUNC_CACHE_PREFER_EQUAL`, the last of the preferences.
const LAST_CACHE_PREFERENCE: u32 = 3;
/// `CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE`, the last of them, and the one that a device with banks of four bytes has.
const LAST_BANK_SIZE: u32 = 2;
const FOUR_BYTE_BANKS: u32 = 1;

/// What a context was told.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Settings {
    limits: [usize; 10],
    cache: u32,
}

impl Settings {
    pub(in super::super) const DEFAULT: Self =
        Self { limits: [1024, 8_650_752, 8 << 20, 0, 2048, 64, 11_796_480, 232_448, 0, 0], cache: 0 };
}

impl Machine {
    fn settings(&mut self, call: &Call) -> Answer<&mut Settings> {
        let key = self.context(call)?;
        self.contexts.get_mut(&key).map(|context| &mut context.settings).ok_or(Status::INVALID_CONTEXT)
    }

    pub(in super::super) unsafe fn context_limit(&mut self, call: &Call, out: *mut usize, limit: u32) -> Answer {
        let limits = self.settings(call)?.limits;
        let value = match limit as usize {
            SYNC_DEPTH => return Err(Status::UNSUPPORTED_LIMIT),
            index => *limits.get(index).ok_or(Status::INVALID_VALUE)?,
        };
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, value) }
    }

    pub(in super::super) fn context_set_limit(&mut self, call: &Call, limit: u32, value: usize) -> Answer {
        let settings = self.settings(call)?;
        match limit as usize {
            SYNC_DEPTH => Err(Status::UNSUPPORTED_LIMIT),
            index => {
                let limit = settings.limits.get_mut(index).ok_or(Status::INVALID_VALUE)?;
                if index >= FIRST_FIXED {
                    return Err(Status::UNSUPPORTED_LIMIT);
                }
                *limit = value;
                Ok(())
            }
        }
    }

    pub(in super::super) unsafe fn context_cache(&mut self, call: &Call, out: *mut u32) -> Answer {
        let cache = self.settings(call)?.cache;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, cache) }
    }

    pub(in super::super) fn context_set_cache(&mut self, call: &Call, preference: u32) -> Answer {
        let settings = self.settings(call)?;
        if preference > LAST_CACHE_PREFERENCE {
            return Err(Status::INVALID_VALUE);
        }
        settings.cache = preference;
        Ok(())
    }

    pub(in super::super) unsafe fn context_banks(&mut self, call: &Call, out: *mut u32) -> Answer {
        self.context(call)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, FOUR_BYTE_BANKS) }
    }

    /// Banks have one size.
    pub(in super::super) fn context_set_banks(&mut self, call: &Call, size: u32) -> Answer {
        self.context(call)?;
        if size > LAST_BANK_SIZE { Err(Status::INVALID_VALUE) } else { Ok(()) }
    }

    /// Of caches there are none.
    pub(in super::super) fn context_reset_cache(&mut self, call: &Call) -> Answer {
        self.context(call).map(|_| ())
    }

    /// Profilers see nothing of the simulated device.
    pub(in super::super) fn profiler_switch(&mut self, call: &Call) -> Answer {
        self.context(call).map(|_| ())
    }
}
