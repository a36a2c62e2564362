//! Freeing device and managed memory.

use super::alloc::rounded;
use super::call::{Answer, Call};
use super::machine::{Machine, Run};
use super::memory::{Allocation, Found, Kind};
use super::operation::Op;
use super::place::Place;
use super::report::{Violation, ViolationKind};
use crate::driver::ffi::{CUdeviceptr, CUstream};
use crate::error::Status;

impl Machine {
    /// Frees device or managed memory. What is queued on it runs first, except on pool memory: such a free waits for
    /// nothing.
    pub(super) unsafe fn mem_free(&mut self, call: &Call, address: CUdeviceptr) -> Answer {
        self.check_current(call)?;
        if address == 0 {
            return Ok(());
        }
        let (id, kind) = self.freeable(call, address, |kind| kind == Kind::Managed || kind.is_linear())?;
        self.check_host_free(call, id);
        if !matches!(kind, Kind::Pool(_)) && self.run_users(id) == Run::Later {
            return Ok(());
        }
        self.alive_owner(id)?;
        if kind != Kind::Managed {
            self.free_device(id, call.place);
        } else if let Some(gone) = self.memory.remove(id, call.place)
            && let Some(device) = self.devices.get_mut(gone.device)
        {
            // SAFETY: `mem_alloc_managed` opened the memory on this device; it has just left the table, and by the
            // driver contract the program uses it no more.
            unsafe { device.space.close_managed(gone.base, gone.size) };
        }
        Ok(())
    }

    pub(super) fn mem_free_async(&mut self, call: &Call, address: CUdeviceptr, stream: CUstream) -> Answer {
        let key = self.stream_key(call, stream)?;
        if !self.options.pools {
            return Err(Status::NOT_SUPPORTED);
        }
        if address == 0 {
            return Ok(());
        }
        let is_managed = self.memory.at(address).is_some_and(|one| one.kind == Kind::Managed);
        // Of managed memory an H200 says that the call does not support it.
        let refused = |status| if is_managed { Status::NOT_SUPPORTED } else { status };
        let (allocation, _) = self.freeable(call, address, Kind::is_linear).map_err(refused)?;
        self.alive_owner(allocation)?;
        // A capture frees what was allocated in it alone; what that is, is not followed here.
        if self.is_captured(key) {
            return Err(Status::INVALID_VALUE);
        }
        if let Some(allocation) = self.memory.get_mut(allocation) {
            allocation.freed = Some(call.place);
            if let Kind::Pool(pool) = allocation.kind {
                let size = allocation.size;
                self.queue_shrink_pool(pool, size);
            }
        }
        self.issue(call, key, Op::Free { allocation }, None)?;
        Ok(())
    }

    /// The allocation that starts at `address`, if it is of a kind that this call frees; else a violation.
    pub(super) fn freeable(&mut self, call: &Call, address: u64, frees: impl Fn(Kind) -> bool) -> Answer<(u64, Kind)> {
        let invalid = |summary: String| {
            let help = "pass the address that the allocation returned, to the function that frees that kind";
            Violation::new(ViolationKind::InvalidFree, call.operation(), call.place, summary, help)
        };
        let double = |summary: String| {
            let help = "free each allocation once, and forget its address then";
            Violation::new(ViolationKind::DoubleFree, call.operation(), call.place, summary, help)
        };
        let label = call.label();
        let violation = match (self.memory.at(address), self.memory.find(address)) {
            (Some(one), _) if !frees(one.kind) => {
                let summary = format!("{label} of allocation #{}, which is {}", one.id, one.kind.description());
                invalid(summary).about(Some(one.subject())).range(0, one.size)
            }
            (Some(one), _) if one.freed.is_some() => {
                let summary = format!("{label} of allocation #{}, whose free is queued already", one.id);
                double(summary).about(Some(one.subject())).range(0, one.size)
            }
            (Some(one), _) => {
                let (id, kind, subject) = (one.id, one.kind, one.subject());
                if matches!(kind, Kind::Pool(pool) if self.pools.get(&pool).is_none_or(|pool| pool.destroyed)) {
                    let summary = format!("{label} of allocation #{id}, whose pool has been destroyed");
                    let help =
                        "free what a pool gave before it is destroyed: drivers have crashed that were asked to later";
                    let violation =
                        Violation::new(ViolationKind::InvalidFree, call.operation(), call.place, summary, help);
                    self.reports.push(violation.about(Some(subject)).range(0, subject.size));
                }
                return Ok((id, kind));
            }
            (None, Found::Live(id) | Found::PastEnd(id)) => {
                let subject = self.memory.get(id).map(Allocation::subject);
                let offset = address - self.memory.get(id).map_or(address, |one| one.base);
                let summary = format!("{label} of an address {offset} bytes after the start of allocation #{id}");
                invalid(summary).about(subject).range(offset, 0)
            }
            (None, _) => match self.memory.freed.at(address) {
                Some(freed) => {
                    let subject = freed.subject;
                    let summary = format!("{label} of allocation #{}, which was freed before", subject.number);
                    double(summary).about(Some(subject)).range(0, subject.size)
                }
                None => invalid(format!("{label} of {address:#x}, where no allocation starts")),
            },
        };
        self.reports.push(violation);
        Err(Status::INVALID_VALUE)
    }

    /// The code that the context of an allocation died of, if it did.
    pub(super) fn alive_owner(&self, id: u64) -> Answer {
        self.alive(self.memory.get(id).map_or(0, |one| one.context))
    }

    /// Ends device memory; memory of another kind is left as it is.
    pub(super) fn free_device(&mut self, id: u64, place: Place) {
        if !self.memory.get(id).is_some_and(|one| one.kind.is_device()) {
            return;
        }
        let Some(gone) = self.memory.remove(id, place) else { return };
        let cost = rounded(gone.size).unwrap_or(0);
        if let Some(device) = self.devices.get_mut(gone.device) {
            device.space.device.release(gone.base, gone.size);
            if !matches!(gone.kind, Kind::Pool(_)) {
                device.used = device.used.saturating_sub(cost);
            }
        }
        if let Kind::Pool(pool) = gone.kind {
            if gone.freed.is_none() {
                self.queue_shrink_pool(pool, gone.size);
            }
            self.shrink_pool(pool, gone.size);
        }
    }
}
