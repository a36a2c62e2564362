//! The search for leaks.

use super::machine::Machine;
use super::memory::Kind;
use super::report::{Violation, ViolationKind};

impl Machine {
    /// Looks for leaks; all violations. Nothing is unmapped: live memory may have an owner.
    pub(super) fn check(&mut self) -> Vec<Violation> {
        let leaks: Vec<_> =
            self.memory.iter().filter(|one| self.alive(one.context).is_ok()).map(|one| one.id).collect();
        for id in leaks {
            self.report_leak(id);
        }
        self.reports.all()
    }

    /// Records that an allocation was never freed.
    pub(super) fn report_leak(&mut self, id: u64) {
        let Some(allocation) = self.memory.get_mut(id) else { return };
        if core::mem::replace(&mut allocation.accounted_for, true) {
            return;
        }
        let (operation, help) = match allocation.kind {
            Kind::Device => ("mem_alloc", "free it, or let its owner go out of scope, before the end"),
            Kind::Pool(_) => ("mem_alloc_async", "free it, or let its owner go out of scope, before the end"),
            Kind::Managed => ("mem_alloc_managed", "free it, or let its owner go out of scope, before the end"),
            Kind::Locked | Kind::Mapped => {
                ("mem_host_alloc", "free it, or let its owner go out of scope, before the end")
            }
            Kind::Array(_) => ("array_create", "destroy it, or let its owner go out of scope, before the end"),
            Kind::Registered => ("mem_host_register", "unregister it before its memory is freed"),
        };
        let summary = format!(
            "{} bytes of {} (allocation #{id}) were never freed",
            allocation.size,
            allocation.kind.description()
        );
        let violation = Violation::new(ViolationKind::Leak, operation, allocation.made, summary, help)
            .about(Some(allocation.subject()))
            .range(0, allocation.size);
        self.reports.push(violation);
    }
}
