//! Page-locked memory in pages that memcore has mapped and registered, and keeps when the program has freed it: to the
//! program it is as memory of `cuMemHostAlloc`.

use super::alloc::poison;
use super::call::{Answer, Call};
use super::machine::{Machine, Run};
use super::memory::Kind;
use super::pages;

/// Registered pages of memcore's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mapping {
    size: u64,
    device: usize,
    pub(super) context: u64,
}

impl Machine {
    /// The program has `bytes` of registered pages from now on: of fresh ones, or of those that it has freed.
    ///
    /// # Safety
    ///
    /// Nobody else has the pages, which stay mapped until they are unregistered.
    pub(super) unsafe fn note_host_allocation(&mut self, call: &Call, address: u64, bytes: usize, zeros: bool) {
        let size = bytes as u64;
        let fresh = self.memory.at(address).filter(|one| one.kind == Kind::Registered);
        let fresh = fresh.map(|one| (one.id, Mapping { size: one.size, device: one.device, context: one.context }));
        if let Some((id, mapping)) = fresh {
            self.memory.remove(id, call.place);
            self.mappings.insert(address, mapping);
        }
        let Some(&mapping) = self.mappings.get(&address) else { return };
        // SAFETY: pages that `close_kept` closed, of this function's contract.
        let is_open = fresh.is_some() || unsafe { pages::open(address, pages::whole_pages(mapping.size)) };
        if is_open && !zeros {
            // SAFETY: open pages, which are given to the program when this returns, and are nobody's until then.
            unsafe { poison(address, size) };
        }
        let made = (Kind::Mapped, mapping.device, mapping.context);
        // SAFETY: this function's contract; the provenance of mappings is exposed. `note_host_free` takes the memory out before
        // it closes the pages, and so does `unregister_mapped`, after which they are unmapped.
        unsafe { self.memory.insert(made, (address, size), call.place, None) };
    }

    /// The program has freed such memory. What is queued on it runs first, as when the driver frees.
    ///
    /// # Safety
    ///
    /// Nobody touches the pages before they are given out again, or unregistered.
    pub(super) unsafe fn note_host_free(&mut self, call: &Call, address: u64) {
        if !self.free_mapped(call, address) {
            return;
        }
        if let Some(mapping) = self.mappings.get(&address) {
            // SAFETY: this function's contract: both open them.
            unsafe { pages::close_kept(address, pages::whole_pages(mapping.size)) };
        }
    }

    /// Ends the registration of such pages, freed or not; `None` where there are none at the address.
    pub(super) fn unregister_mapped(&mut self, call: &Call, address: u64) -> Option<Answer> {
        let mapping = *self.mappings.get(&address)?;
        let is_in_use = self.memory.at(address).is_some_and(|one| one.kind == Kind::Mapped);
        if let Err(status) = self.alive(mapping.context) {
            return Some(Err(status));
        }
        if is_in_use && !self.free_mapped(call, address) {
            return Some(Ok(()));
        }
        self.forget_mapping(address, mapping);
        Some(Ok(()))
    }

    /// The registrations of a context that ends are over. Pages that the program has not freed stay its own.
    pub(super) fn forget_mappings(&mut self, context: u64) {
        let all = self.mappings.iter().map(|(address, mapping)| (*address, *mapping));
        for (address, mapping) in all.filter(|(_, mapping)| mapping.context == context).collect::<Vec<_>>() {
            if self.memory.at(address).is_none() {
                self.forget_mapping(address, mapping);
            }
        }
    }

    fn forget_mapping(&mut self, address: u64, mapping: Mapping) {
        self.mappings.remove(&address);
        self.locked_bytes = self.locked_bytes.saturating_sub(mapping.size);
        self.memory.freed.forget(address, mapping.size);
        // SAFETY: pages of memcore's, closed or open.
        let _ = unsafe { pages::open(address, pages::whole_pages(mapping.size)) };
    }

    /// Takes the memory from the program, if that has it; false where it is to be called again.
    fn free_mapped(&mut self, call: &Call, address: u64) -> bool {
        let Some(id) = self.memory.at(address).filter(|one| one.kind == Kind::Mapped).map(|one| one.id) else {
            return true;
        };
        self.check_host_free(call, id);
        if self.run_users(id) == Run::Later {
            return false;
        }
        self.memory.remove(id, call.place);
        true
    }
}
