//! Managed memory of a device without concurrent access: the host may not touch it while the device is busy. Meanwhile its
//! pages are closed; a touch opens them again, and is reported.

use super::machine::Machine;
use super::memory::{Allocation, Kind};
use super::pages;
use super::report::{Violation, ViolationKind};
use super::trap;

impl Machine {
    /// Closes the managed memory of a context's device, if work is queued in it.
    fn guard_managed(&mut self, context: u64) {
        if !self.graph.has_context(context) || !trap::is_installed() {
            return;
        }
        let device = self.device_of(context);
        let open = |one: &&mut Allocation| {
            one.kind == Kind::Managed && one.device == device && !one.is_guarded && !one.is_host_s
        };
        for one in self.memory.iter_mut().filter(open) {
            // SAFETY: opened pages of managed memory in the table; a touch of the program's faults: the handler of faults opens
            // them for it, or, where a fault of something else took the handler away, the process ends.
            one.is_guarded = unsafe { pages::guard(one.base, pages::whole_pages(one.size)) };
        }
    }

    /// What holds for managed memory after a call.
    pub(super) fn guard_after_call(&mut self) {
        if !self.options.concurrent_managed && self.devices.iter().any(|device| device.space.has_open()) {
            self.unguard_managed();
            for context in self.contexts.keys().copied().collect::<Vec<_>>() {
                self.guard_managed(context);
            }
        }
    }

    /// Opens the managed memory of the devices that are idle again.
    fn unguard_managed(&mut self) {
        let busy: Vec<_> = self.contexts.keys().filter(|key| self.graph.has_context(**key)).copied().collect();
        let busy: Vec<_> = busy.into_iter().map(|context| self.device_of(context)).collect();
        for one in self.memory.iter_mut().filter(|one| one.is_guarded && !busy.contains(&one.device)) {
            one.unguard();
        }
    }

    /// Opens guarded memory that the host has touched, and reports it; whether that is what lies at the address.
    pub(super) fn touch_guarded(&mut self, address: u64) -> bool {
        let Some(id) = self.memory.holding(address).filter(|one| one.kind == Kind::Managed).map(|one| one.id) else {
            return false;
        };
        let Some(one) = self.memory.get_mut(id) else { return false };
        if !one.is_guarded {
            return true; // another thread's touch has opened it
        }
        one.unguard();
        let (subject, offset) = (one.subject(), address - one.base);
        let summary = format!(
            "the host touched managed memory, byte {offset} of allocation #{id}, while the device was busy, which has no \
             concurrent access to it"
        );
        let help =
            "wait for the device before the host touches managed memory, or ask for CONCURRENT_MANAGED_ACCESS first";
        let kind = ViolationKind::HostInFlight;
        let violation = Violation::new(kind, "host_access", subject.made, summary, help).about(Some(subject));
        self.reports.push(violation.range(offset, 1));
        true
    }
}

impl Allocation {
    /// Opens the pages.
    pub(super) fn unguard(&mut self) {
        if self.is_guarded {
            // SAFETY: pages of managed memory in the table, which were open before.
            self.is_guarded = unsafe { !pages::open(self.base, pages::whole_pages(self.size)) };
        }
    }
}
