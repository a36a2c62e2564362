//! Device and managed memory: allocating and freeing.

use super::backing::{Backing, POISON};
use super::exec::{NodeId, Op};
use super::machine::{Answer, Call, Machine, as_handle, give};
use super::memory::{Found, Kind};
use super::pages;
use super::report::{Place, Violation, ViolationKind};
use super::space::ALIGNMENT;
use crate::Status;
use crate::driver::ffi::{CUdeviceptr, CUmemoryPool, CUstream};

/// `CU_MEM_ATTACH_GLOBAL` and `CU_MEM_ATTACH_HOST`.
const ATTACH_FLAGS: [u32; 2] = [1, 2];
/// Host-visible memory is poisoned up to here; what lies behind are zero pages, which cost nothing until they are used.
pub(super) const POISON_LIMIT: u64 = 64 << 20;

/// The bytes that an allocation counts for.
pub(super) fn rounded(size: u64) -> Option<u64> {
    size.checked_next_multiple_of(ALIGNMENT)
}

impl Machine {
    pub(super) unsafe fn mem_alloc(&mut self, call: &Call, out: *mut CUdeviceptr, bytes: usize) -> Answer {
        let context = self.working(call)?;
        if out.is_null() || bytes == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let index = self.device_of(context);
        let device = self.devices.get_mut(index).ok_or(Status::INVALID_CONTEXT)?;
        let cost = rounded(bytes as u64).ok_or(Status::OUT_OF_MEMORY)?;
        let used = device.used.checked_add(cost).filter(|used| *used <= device.total).ok_or(Status::OUT_OF_MEMORY)?;
        let backing = Backing::new(bytes).ok_or(Status::OUT_OF_MEMORY)?;
        let base = device.space.device.take(bytes as u64).ok_or(Status::OUT_OF_MEMORY)?;
        device.used = used;
        let id = (Kind::Device, index, context);
        self.memory.insert(id, (base, bytes as u64), call.place, Some(backing));
        // SAFETY: the caller's promise.
        unsafe { give(out, base) }
    }

    pub(super) unsafe fn mem_alloc_managed(
        &mut self,
        call: &Call,
        out: *mut CUdeviceptr,
        bytes: usize,
        flags: u32,
    ) -> Answer {
        let context = self.working(call)?;
        if !self.options.managed {
            return Err(Status::NOT_SUPPORTED);
        }
        if out.is_null() || bytes == 0 || !ATTACH_FLAGS.contains(&flags) {
            return Err(Status::INVALID_VALUE);
        }
        let index = self.device_of(context);
        let device = self.devices.get_mut(index).ok_or(Status::INVALID_CONTEXT)?;
        let size = bytes as u64;
        let base = device.space.managed.take(size).ok_or(Status::OUT_OF_MEMORY)?;
        // SAFETY: the pages were just taken from the device's reserved range, so nothing else uses them.
        if !unsafe { pages::open(base, whole_pages(size)) } {
            device.space.managed.give(base, size);
            return Err(Status::OUT_OF_MEMORY);
        }
        // SAFETY: the pages are open now, and no one has their address yet.
        unsafe { poison(base, size) };
        self.memory.insert((Kind::Managed, index, context), (base, size), call.place, None);
        // SAFETY: the caller's promise.
        unsafe { give(out, base) }
    }

    pub(super) unsafe fn mem_alloc_async(
        &mut self,
        call: &Call,
        out: *mut CUdeviceptr,
        bytes: usize,
        stream: CUstream,
    ) -> Answer {
        let key = self.stream_key(call, stream)?;
        let device = self.streams.get(&key).map_or(0, |stream| self.device_of(stream.context));
        let pool = self.devices.get(device).map_or(0, |device| device.default_pool);
        // SAFETY: the caller's promise.
        unsafe { self.alloc_in_pool(call, out, bytes, pool, key) }
    }

    pub(super) unsafe fn mem_alloc_from_pool(
        &mut self,
        call: &Call,
        out: *mut CUdeviceptr,
        bytes: usize,
        pool: CUmemoryPool,
        stream: CUstream,
    ) -> Answer {
        let key = self.stream_key(call, stream)?;
        // SAFETY: the caller's promise.
        unsafe { self.alloc_in_pool(call, out, bytes, as_handle(pool), key) }
    }

    /// # Safety
    ///
    /// `out` is null or good for a write.
    unsafe fn alloc_in_pool(
        &mut self,
        call: &Call,
        out: *mut CUdeviceptr,
        bytes: usize,
        pool: u64,
        stream: u64,
    ) -> Answer {
        if !self.options.pools {
            return Err(Status::NOT_SUPPORTED);
        }
        let index = self.pools.get(&pool).filter(|pool| !pool.destroyed).ok_or(Status::INVALID_VALUE)?.device;
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        if bytes == 0 {
            // SAFETY: the caller's promise.
            return unsafe { give(out, 0) };
        }
        let context = self.streams.get(&stream).ok_or(Status::INVALID_HANDLE)?.context;
        let backing = Backing::new(bytes).ok_or(Status::OUT_OF_MEMORY)?;
        let cost = rounded(bytes as u64).ok_or(Status::OUT_OF_MEMORY)?;
        self.grow_pool(pool, cost)?;
        let Some(base) = self.devices.get_mut(index).and_then(|device| device.space.device.take(bytes as u64)) else {
            self.shrink_pool(pool, cost);
            return Err(Status::OUT_OF_MEMORY);
        };
        let allocation = self.memory.insert((Kind::Pool(pool), index, context), (base, bytes as u64), call.place, None);
        self.issue(call, stream, Op::Alloc { allocation, backing }, None)?;
        // SAFETY: the caller's promise.
        unsafe { give(out, base) }
    }

    /// Frees device or managed memory. What is queued on it runs first, except on pool memory: such a free waits for
    /// nothing.
    pub(super) fn mem_free(&mut self, call: &Call, address: CUdeviceptr) -> Answer {
        self.unburdened(call)?;
        if address == 0 {
            return Ok(());
        }
        let (id, kind) = self.freeable(call, address, |kind| !kind.is_host())?;
        if !matches!(kind, Kind::Pool(_)) {
            self.settle(id);
        }
        self.alive_owner(id)?;
        self.finish_free(id, call.place);
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
        let (allocation, _) = self.freeable(call, address, Kind::is_device)?;
        self.alive_owner(allocation)?;
        if let Some(allocation) = self.memory.get_mut(allocation) {
            allocation.freed = Some(call.place);
        }
        let _: NodeId = self.issue(call, key, Op::Free { allocation }, None)?;
        Ok(())
    }

    /// The allocation that starts at `address`, if it is of a kind that this call frees; else a violation.
    pub(super) fn freeable(&mut self, call: &Call, address: u64, serves: impl Fn(Kind) -> bool) -> Answer<(u64, Kind)> {
        const ONCE: &str = "free each allocation once, and forget its address then";
        let invalid = |summary: String| {
            let help = "pass the address that the allocation returned, to the function that frees that kind";
            Violation::new(ViolationKind::InvalidFree, call.operation(), call.place, summary, help)
        };
        let double =
            |summary: String| Violation::new(ViolationKind::DoubleFree, call.operation(), call.place, summary, ONCE);
        let words = call.words();
        let violation = match (self.memory.at(address), self.memory.find(address)) {
            (Some(one), _) if !serves(one.kind) => {
                let summary = format!("{words} of allocation #{}, which is {}", one.id, one.kind.what());
                invalid(summary).about(Some(one.subject())).range(0, one.size)
            }
            (Some(one), _) if one.freed.is_some() => {
                let summary = format!("{words} of allocation #{}, whose free is queued already", one.id);
                double(summary).about(Some(one.subject())).range(0, one.size)
            }
            (Some(one), _) => {
                return Ok((one.id, one.kind));
            }
            (None, Found::Live(id) | Found::Behind(id)) => {
                let subject = self.memory.get(id).map(super::memory::Allocation::subject);
                let offset = address - self.memory.get(id).map_or(address, |one| one.base);
                let summary = format!("{words} of an address that lies {offset} bytes into allocation #{id}");
                invalid(summary).about(subject).range(offset, 0)
            }
            (None, _) => match self.memory.grave_at(address) {
                Some(grave) => {
                    let subject = grave.subject;
                    let summary = format!("{words} of allocation #{}, which was freed before", subject.number);
                    double(summary).about(Some(subject)).range(0, subject.size)
                }
                None => invalid(format!("{words} of {address:#x}, where no allocation starts")),
            },
        };
        self.reports.push(violation);
        Err(Status::INVALID_VALUE)
    }

    /// The code that the context of an allocation died of, if it did.
    pub(super) fn alive_owner(&self, id: u64) -> Answer {
        self.alive(self.memory.get(id).map_or(0, |one| one.context))
    }

    /// Ends device or managed memory.
    pub(super) fn finish_free(&mut self, id: u64, place: Place) {
        let Some(gone) = self.memory.bury(id, place) else { return };
        let cost = rounded(gone.size).unwrap_or(0);
        match gone.kind {
            Kind::Pool(pool) => self.shrink_pool(pool, cost),
            Kind::Device => {
                if let Some(device) = self.devices.get_mut(gone.device) {
                    device.used = device.used.saturating_sub(cost);
                }
            }
            _ => {}
        }
        let Some(device) = self.devices.get_mut(gone.device) else { return };
        if gone.kind.is_device() {
            device.space.device.give(gone.base, gone.size);
        } else if gone.kind == Kind::Managed {
            // SAFETY: the pages were opened for this allocation, what used it has run, and it is freed: by the promise of
            // `cuMemFree`'s caller the program does not touch it any more.
            unsafe { pages::close(gone.base, whole_pages(gone.size)) };
            device.space.managed.give(gone.base, gone.size);
        }
    }
}

/// Bytes of the pages that `size` bytes take.
pub(super) fn whole_pages(size: u64) -> usize {
    size.checked_next_multiple_of(pages::page_size())
        .and_then(|bytes| usize::try_from(bytes).ok())
        .unwrap_or(usize::MAX)
}

/// Poisons the start of host-visible memory.
///
/// # Safety
///
/// `size` bytes at `address` are mapped, writable and used by no one.
pub(super) unsafe fn poison(address: u64, size: u64) {
    let pointer: *mut u8 = core::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: the caller's promise.
    unsafe { pointer.write_bytes(POISON, size.min(POISON_LIMIT) as usize) };
}
