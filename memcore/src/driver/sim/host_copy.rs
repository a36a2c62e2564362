//! Host memory that memcore's own threads would copy, in the place of a device that then sees other memory.
//!
//! Where the copy would be reported if the device made it, or cannot be made by the host, memcore leaves it to the device: so
//! what is reported, and what the call returns, is the same.

use super::machine::Machine;
use super::managed::Attached;
use super::memory::{Allocation, Found, Kind};
use super::pages;
use super::rows::Rows;
use super::shadow::Use;
use crate::driver::HostRows;

impl Machine {
    /// Whether the host can copy the bytes now, and comes after all that uses them.
    ///
    /// No operation is known to come after less than the host does: of what is let through, none is a race.
    pub(super) fn lets_host_copy(&self, rows: HostRows) -> bool {
        let HostRows { start, shape, pitch, height, is_written } = rows;
        let rows = Rows::new(start, shape.map(|extent| extent as u64), pitch as u64, height as u64);
        let Some(rows) = rows else { return false };
        let is = if is_written { Use::Write } else { Use::Read };
        let (shadow, rows) = match self.memory.find(start) {
            Found::Live(id) => {
                let one = self.memory.get(id).filter(|one| self.can_host_copy(one, &rows, is));
                let Some(one) = one else { return false };
                (&one.shadow, rows.counted_from(one.base))
            }
            Found::Freed(_) => return false,
            Found::PastEnd(_) | Found::Unknown if self.is_reserved(&rows.hull()) => return false,
            Found::PastEnd(_) | Found::Unknown => (&self.pageable, rows),
        };
        !self.options.race_checks || rows.runs().all(|run| shadow.conflict(run, is, &self.host_clock).is_none())
    }

    /// Whether the host can do this with rows of memory that the driver knows, and no check of their use is left out.
    fn can_host_copy(&self, one: &Allocation, rows: &Rows, is: Use) -> bool {
        let is_open = match one.kind {
            Kind::Device | Kind::Pool(_) | Kind::Array(_) => false,
            Kind::Locked | Kind::Mapped => true,
            Kind::Registered => pages::can_access(&rows.hull(), false),
            Kind::Managed => {
                let attached = one.managed.as_ref().map(|state| state.attached);
                self.options.concurrent_managed && !matches!(attached, Some(Attached::Single { .. }))
            }
        };
        is_open && rows.end() <= one.end() && (is == Use::Read || !one.is_read_only)
    }
}
