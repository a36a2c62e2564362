//! Page-locked host memory: allocated by the driver, or the program's own, registered.

use core::ffi::c_void;
use std::collections::VecDeque;

use super::alloc::poison;
use super::call::{Answer, Call, write_out};
use super::machine::{Machine, Run};
use super::memory::{Allocation, Kind};
use super::pages::{self, Access};
use super::place::Place;
use super::report::{Violation, ViolationKind};
use crate::driver::ffi::{CUdeviceptr, HOST_DEVICE_MAPPED, HOST_PORTABLE, HOST_WRITE_COMBINED, REGISTER_READ_ONLY};
use crate::error::Status;

const ALLOC_FLAGS: u32 = HOST_PORTABLE | HOST_DEVICE_MAPPED | HOST_WRITE_COMBINED;
/// Addresses of other devices are not simulated, and of memory the driver refuses `CU_MEMHOSTREGISTER_IOMEMORY`.
const REGISTER_FLAGS: u32 = HOST_PORTABLE | HOST_DEVICE_MAPPED | REGISTER_READ_ONLY;

/// Where in its page small memory starts. The driver hands out pieces of pages, aligned to 512 bytes (seen on an H200):
/// a program that counts on more must fail here too.
fn offset_in_page(size: u64) -> u64 {
    const PIECE: u64 = 512;
    if size <= pages::page_size() - PIECE { PIECE } else { 0 }
}

/// Page-locked memory that was freed: closed, and kept for a while, so that a later use is told from one of other memory.
#[derive(Debug, Default)]
pub(super) struct Retired(VecDeque<(u64, Allocation)>);

impl Retired {
    /// How many are kept: a process has room for some ten thousand mappings.
    const MAX: usize = 256;

    /// Closes the pages of an allocation, and gives back the oldest that is kept, if there are too many.
    ///
    /// # Safety
    ///
    /// The pages are whole ones that [`pages::map`] gave, with this allocation in them, and nothing uses them any more.
    unsafe fn keep(&mut self, pages: u64, gone: Allocation) -> Option<Allocation> {
        // SAFETY: this function's contract.
        unsafe { pages::close(pages, pages::whole_pages(gone.size)) };
        self.0.push_back((pages, gone));
        if self.0.len() <= Self::MAX {
            return None;
        }
        self.give_back()
    }

    /// Unmaps the oldest.
    fn give_back(&mut self) -> Option<Allocation> {
        let (pages, oldest) = self.0.pop_front()?;
        let pointer = core::ptr::with_exposed_provenance_mut(pages as usize);
        // SAFETY: pages that `keep` took, which nobody has.
        unsafe { pages::unmap(pointer, pages::whole_pages(oldest.size)) };
        Some(oldest)
    }
}

impl Drop for Retired {
    fn drop(&mut self) {
        while self.give_back().is_some() {}
    }
}

impl Machine {
    /// The bytes page-locked with `more` added, if the limit allows it.
    fn lock_more(&self, more: u64) -> Answer<u64> {
        let sum = self.locked_bytes.checked_add(more).filter(|sum| *sum <= self.options.host_lock_limit);
        sum.ok_or(Status::OUT_OF_MEMORY)
    }

    pub(super) unsafe fn mem_host_alloc(
        &mut self,
        call: &Call,
        out: *mut *mut c_void,
        bytes: usize,
        flags: u32,
    ) -> Answer {
        let context = self.working(call)?;
        if out.is_null() || flags & !ALLOC_FLAGS != 0 {
            return Err(Status::INVALID_VALUE);
        }
        if bytes == 0 {
            // SAFETY: `out` is null or writable by the driver contract.
            return unsafe { write_out(out, core::ptr::null_mut()) };
        }
        let size = bytes as u64;
        let locked = self.lock_more(size)?;
        let pointer = pages::map(pages::whole_pages(size), Access::ReadWrite).ok_or(Status::OUT_OF_MEMORY)?;
        let base = pointer.addr().get() as u64 + offset_in_page(size);
        // SAFETY: the pages are fresh, and no one has their address yet.
        unsafe { poison(base, size) };
        self.locked_bytes = locked;
        let made = (Kind::Locked, self.device_of(context), context);
        // SAFETY: the pages are unmapped only by `mem_free_host`, once the memory has left the table; the provenance of
        // mappings is exposed.
        let id = unsafe { self.memory.insert(made, (base, size), call.place, None) };
        if let Some(one) = self.memory.get_mut(id) {
            one.flags = flags;
        }
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, core::ptr::with_exposed_provenance_mut(base as usize)) }
    }

    /// Frees page-locked memory. What is queued on it runs first, so that nothing lands in unmapped memory.
    pub(super) unsafe fn mem_free_host(&mut self, call: &Call, pointer: *mut c_void) -> Answer {
        self.check_current(call)?;
        if pointer.is_null() {
            return Ok(());
        }
        let (id, _) = self.freeable(call, pointer.addr() as u64, |kind| kind == Kind::Locked)?;
        self.check_host_free(call, id);
        if self.run_users(id) == Run::Later {
            return Ok(());
        }
        self.alive_owner(id)?;
        // SAFETY: by the driver contract the program uses the memory no more.
        unsafe { self.free_locked(id, call.place) };
        Ok(())
    }

    /// Takes page-locked memory of [`mem_host_alloc`](Self::mem_host_alloc) out of the table, and closes it.
    ///
    /// # Safety
    ///
    /// The program uses it no more.
    pub(super) unsafe fn free_locked(&mut self, id: u64, place: Place) {
        let Some(gone) = self.memory.remove(id, place) else { return };
        self.locked_bytes = self.locked_bytes.saturating_sub(gone.size);
        let pages = gone.base - offset_in_page(gone.size);
        // SAFETY: `mem_host_alloc` mapped these pages; the memory has just left the table, and by this function's contract
        // the program uses it no more.
        if let Some(oldest) = unsafe { self.retired.keep(pages, gone) } {
            self.memory.freed.forget(oldest.base, oldest.size);
        }
    }

    pub(super) unsafe fn mem_host_flags(&mut self, call: &Call, out: *mut u32, pointer: *mut c_void) -> Answer {
        if out.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        self.context(call)?;
        let allocated = self.memory.holding(pointer.addr() as u64).filter(|one| one.kind == Kind::Locked);
        let flags = allocated.ok_or(Status::INVALID_VALUE)?.flags;
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, flags) }
    }

    pub(super) unsafe fn mem_host_device_pointer(
        &mut self,
        call: &Call,
        out: *mut CUdeviceptr,
        pointer: *mut c_void,
        flags: u32,
    ) -> Answer {
        self.context(call)?;
        let address = pointer.addr() as u64;
        if flags != 0 || !self.memory.holding(address).is_some_and(|one| one.kind.is_host()) {
            // SAFETY: `out` is null or writable by the driver contract.
            return unsafe { write_out(out, 0) }.and(Err(Status::INVALID_VALUE));
        }
        // SAFETY: `out` is null or writable by the driver contract.
        unsafe { write_out(out, address) }
    }

    pub(super) unsafe fn mem_host_register(
        &mut self,
        call: &Call,
        pointer: *mut c_void,
        bytes: usize,
        flags: u32,
    ) -> Answer {
        let context = self.working(call)?;
        let (base, size) = (pointer.expose_provenance() as u64, bytes as u64);
        if base == 0 || size == 0 || flags & !REGISTER_FLAGS != 0 || base.checked_add(size).is_none() {
            return Err(Status::INVALID_VALUE);
        }
        let is_read_only = flags & REGISTER_READ_ONLY != 0;
        if !self.options.registration || is_read_only && !self.options.read_only_registration {
            return Err(Status::NOT_SUPPORTED);
        }
        let bytes = base..base + size;
        if self.is_reserved(&bytes) {
            return Err(Status::INVALID_VALUE);
        }
        if let Some(kind) = self.memory.last_kind_in(base, size) {
            let is_registered = matches!(kind, Kind::Registered | Kind::Mapped);
            let registered = Status::HOST_MEMORY_ALREADY_REGISTERED;
            return Err(if is_registered { registered } else { Status::INVALID_VALUE });
        }
        if !pages::are_mapped(&bytes, if is_read_only { "r" } else { "rw" }) {
            return Err(Status::INVALID_VALUE);
        }
        self.locked_bytes = self.lock_more(size)?;
        let made = (Kind::Registered, self.device_of(context), context);
        // SAFETY: by the driver contract the memory lives until it is unregistered, which takes it out of the table;
        // its provenance was exposed above. What may only be read is marked as that below.
        let id = unsafe { self.memory.insert(made, (base, size), call.place, None) };
        if let Some(one) = self.memory.get_mut(id) {
            one.is_read_only = is_read_only;
        }
        Ok(())
    }

    /// Ends a registration. What is queued on the memory runs first: its owner may free it next.
    pub(super) fn mem_host_unregister(&mut self, call: &Call, pointer: *mut c_void) -> Answer {
        self.check_current(call)?;
        let address = pointer.addr() as u64;
        if address == 0 {
            return Err(Status::INVALID_VALUE);
        }
        if let Some(answer) = self.unregister_mapped(call, address) {
            return answer;
        }
        let one = self.memory.at(address).filter(|one| one.kind == Kind::Registered);
        let Some(id) = one.map(|one| one.id) else { return Err(self.not_registered(call, address)) };
        self.check_host_free(call, id);
        // Also where the context is dead: a program that frees the memory in spite of the code is not to be harmed.
        if self.run_users(id) == Run::Later {
            return Ok(());
        }
        self.alive_owner(id)?;
        if let Some(gone) = self.memory.remove(id, call.place) {
            self.locked_bytes = self.locked_bytes.saturating_sub(gone.size);
        }
        Ok(())
    }

    /// The code for an address where no registration starts, which is a violation.
    fn not_registered(&mut self, call: &Call, address: u64) -> Status {
        let inside = self.memory.holding(address);
        let before = self.memory.freed.at(address).filter(|freed| freed.kind == Kind::Registered);
        let (kind, status, subject, summary) = if let Some(one) = inside {
            let summary = format!("the address lies {} bytes into {}", address - one.base, one.kind.description());
            (ViolationKind::InvalidFree, Status::INVALID_VALUE, Some(one.subject()), summary)
        } else if let Some(freed) = before {
            let summary = "the memory was unregistered before".to_owned();
            (ViolationKind::DoubleFree, Status::HOST_MEMORY_NOT_REGISTERED, Some(freed.subject), summary)
        } else {
            let summary = format!("no registration starts at {address:#x}");
            (ViolationKind::InvalidFree, Status::HOST_MEMORY_NOT_REGISTERED, None, summary)
        };
        let help = "unregister each registration once, by the address that was registered";
        self.reports.push(Violation::new(kind, call.operation(), call.place, summary, help).about(subject));
        status
    }
}
