//! Allocating device and managed memory.

use super::backing::{Backing, POISON};
use super::call::{Answer, Call, as_handle, write_out};
use super::machine::Machine;
use super::managed::ManagedState;
use super::memory::Kind;
use super::operation::Op;
use super::space::ALIGNMENT;
use crate::driver::ffi::{ATTACH_GLOBAL, ATTACH_HOST, CUdeviceptr, CUmemoryPool, CUstream, MAX_PITCH};
use crate::error::Status;

/// The sizes of what a kernel reads at once that `cuMemAllocPitch` takes.
const ELEMENT_SIZES: [u32; 3] = [4, 8, 16];
/// Host-visible memory is poisoned up to here; what comes after are zero pages, which cost nothing until they are used.
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
        let base = self.alloc_device(call, context, Kind::Device, bytes)?;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, base) }
    }

    pub(super) unsafe fn mem_alloc_pitch(
        &mut self,
        call: &Call,
        out: *mut CUdeviceptr,
        pitch: *mut usize,
        width: usize,
        height: usize,
        element: u32,
    ) -> Answer {
        let context = self.working(call)?;
        let is_right = width > 0 && height > 0 && ELEMENT_SIZES.contains(&element);
        if out.is_null() || pitch.is_null() || !is_right {
            return Err(Status::INVALID_VALUE);
        }
        let apart = width.checked_next_multiple_of(ALIGNMENT as usize).filter(|apart| *apart <= MAX_PITCH);
        let apart = apart.ok_or(Status::INVALID_VALUE)?;
        let bytes = apart.checked_mul(height).ok_or(Status::OUT_OF_MEMORY)?;
        let base = self.alloc_device(call, context, Kind::Device, bytes)?;
        // SAFETY: `pitch` is writable by the driver contract.
        unsafe { write_out(pitch, apart) }?;
        // SAFETY: so is `out`.
        unsafe { write_out(out, base) }
    }

    /// Allocates memory of a kind, which is not of a pool, on a context's device; its address.
    pub(super) fn alloc_device(&mut self, call: &Call, context: u64, kind: Kind, bytes: usize) -> Answer<CUdeviceptr> {
        let index = self.device_of(context);
        let device = self.devices.get_mut(index).ok_or(Status::INVALID_CONTEXT)?;
        let cost = rounded(bytes as u64).ok_or(Status::OUT_OF_MEMORY)?;
        let used = device.used.checked_add(cost).filter(|used| *used <= device.total).ok_or(Status::OUT_OF_MEMORY)?;
        let backing = Backing::new(bytes).ok_or(Status::OUT_OF_MEMORY)?;
        let base = device.space.device.take(bytes as u64).ok_or(Status::OUT_OF_MEMORY)?;
        device.used = used;
        let made = (kind, index, context);
        // SAFETY: device memory, which the host does not reach.
        unsafe { self.memory.insert(made, (base, bytes as u64), call.place, Some(backing)) };
        Ok(base)
    }

    pub(super) unsafe fn mem_alloc_managed(
        &mut self,
        call: &Call,
        out: *mut CUdeviceptr,
        bytes: usize,
        flags: u32,
    ) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let context = self.working(call)?;
        if !self.options.managed {
            return Err(Status::NOT_SUPPORTED);
        }
        if bytes == 0 || ![ATTACH_GLOBAL, ATTACH_HOST].contains(&flags) {
            return Err(Status::INVALID_VALUE);
        }
        let index = self.device_of(context);
        let device = self.devices.get_mut(index).ok_or(Status::INVALID_CONTEXT)?;
        let size = bytes as u64;
        let base = device.space.open_managed(size).ok_or(Status::OUT_OF_MEMORY)?;
        // SAFETY: the pages are open now, and no one has their address yet.
        unsafe { poison(base, size) };
        // SAFETY: the pages stay open until `close_managed`, which `mem_free` calls for memory that it took out; they
        // are of a mapping, and the provenance of those is exposed.
        let id = unsafe { self.memory.insert((Kind::Managed, index, context), (base, size), call.place, None) };
        if let Some(one) = self.memory.get_mut(id) {
            one.managed = Some(ManagedState::new(flags == ATTACH_HOST));
        }
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, base) }
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
        let pool = self.devices.get(device).map_or(0, |device| device.current_pool);
        // SAFETY: the driver contract of `out`.
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
        // SAFETY: the driver contract of `out`.
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
            // SAFETY: this function's contract.
            return unsafe { write_out(out, 0) };
        }
        let context = self.streams.get(&stream).ok_or(Status::INVALID_HANDLE)?.context;
        let captured = self.is_captured(stream);
        let backing = Backing::new(bytes).ok_or(Status::OUT_OF_MEMORY)?;
        self.grow_pool(pool, bytes as u64)?;
        let Some(base) = self.devices.get_mut(index).and_then(|device| device.space.device.take(bytes as u64)) else {
            self.queue_shrink_pool(pool, bytes as u64);
            self.shrink_pool(pool, bytes as u64);
            return Err(Status::OUT_OF_MEMORY);
        };
        let made = (Kind::Pool(pool), index, context);
        // SAFETY: device memory, which the host does not reach.
        let allocation = unsafe { self.memory.insert(made, (base, bytes as u64), call.place, None) };
        if let Some(graph_memory) = self.memory.get_mut(allocation).filter(|_| captured) {
            // It would be there while the graph runs, and no graph does.
            graph_memory.accounted_for = true;
        }
        self.issue(call, stream, Op::Alloc { allocation, backing }, None)?;
        // SAFETY: this function's contract.
        unsafe { write_out(out, base) }
    }
}

/// Poisons the start of host-visible memory.
///
/// # Safety
///
/// The `size` bytes at `address` are mapped with exposed provenance, writable, and used by no one.
pub(super) unsafe fn poison(address: u64, size: u64) {
    let pointer: *mut u8 = core::ptr::with_exposed_provenance_mut(address as usize);
    // SAFETY: this function's contract.
    unsafe { pointer.write_bytes(POISON, size.min(POISON_LIMIT) as usize) };
}
