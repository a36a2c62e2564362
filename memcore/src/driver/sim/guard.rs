//! Managed memory of a device without concurrent access: the host may not touch it while the device is busy, or the stream
//! that it is attached to. Meanwhile its pages are closed; a touch opens them again, and is reported.

use super::machine::Machine;
use super::memory::{Allocation, Kind};
use super::pages;
use super::report::{Violation, ViolationKind};
use super::trap;

impl Machine {
    /// What holds for managed memory after a call: it is closed where the host may not touch it, and else open.
    pub(super) fn guard_after_call(&mut self) {
        if self.options.concurrent_managed || !self.devices.iter().any(|device| device.space.has_open()) {
            return;
        }
        let busy = self.contexts.iter().filter(|(key, _)| self.graph.has_context(**key));
        let busy: Vec<_> = busy.map(|(_, context)| context.device).collect();
        let (graph, can_close) = (&self.graph, trap::is_installed());
        for one in self.memory.iter_mut().filter(|one| one.kind == Kind::Managed) {
            let closes = one.is_closed_while(busy.contains(&one.device), |stream| graph.has_stream(stream));
            if !closes {
                one.unguard();
            } else if can_close && !one.is_guarded {
                // SAFETY: opened pages of managed memory in the table; a touch of the program's faults: the handler of
                // faults opens them for it, or, where a fault of something else took the handler away, the process ends.
                one.is_guarded = unsafe { pages::guard(one.base, pages::whole_pages(one.size)) };
            }
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
