//! What was freed: remembered, so that a report of a later use can name it.

use std::collections::{BTreeMap, VecDeque};

use super::memory::{Allocation, Kind};
use super::place::Place;
use super::report::Subject;
use super::space::ALIGNMENT;

/// Memory that was freed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freed {
    /// How it was made.
    pub(super) kind: Kind,
    /// Its address.
    pub(super) base: u64,
    /// What a report says about it.
    pub(super) subject: Subject,
}

/// The freed allocations of a simulator, by the addresses where they started.
#[derive(Debug, Default)]
pub(super) struct FreedMemory {
    by_base: BTreeMap<u64, Freed>,
    /// Base and number, oldest first.
    order: VecDeque<(u64, u64)>,
}

impl FreedMemory {
    /// How many are remembered.
    const MAX: usize = 1 << 16;

    /// Remembers an allocation that was freed at `place`, or where its free was queued.
    pub(super) fn insert(&mut self, allocation: &Allocation, place: Place) {
        let Allocation { id, kind, base, .. } = *allocation;
        let subject = Subject { freed: Some(allocation.freed.unwrap_or(place)), ..allocation.subject() };
        self.by_base.insert(base, Freed { kind, base, subject });
        self.order.push_back((base, id));
        if self.order.len() > Self::MAX
            && let Some((base, id)) = self.order.pop_front()
            && self.by_base.get(&base).is_some_and(|freed| freed.subject.number == id)
        {
            self.by_base.remove(&base);
        }
    }

    /// Forgets what was freed at addresses that are used anew.
    pub(super) fn forget(&mut self, base: u64, size: u64) {
        let end = base.saturating_add(size.max(1));
        while let Some((&start, freed)) = self.by_base.range(..end).next_back() {
            if start.saturating_add(freed.subject.size.max(1)) <= base {
                break;
            }
            self.by_base.remove(&start);
        }
    }

    /// What started at `address`.
    pub(super) fn at(&self, address: u64) -> Option<&Freed> {
        self.by_base.get(&address)
    }

    /// What `address` lay in, or of device memory just past the end of. Memory that was registered may be anyone's by now:
    /// only addresses that are kept still mean what they meant. Arrays go by their handles.
    pub(super) fn holding(&self, address: u64) -> Option<&Freed> {
        let (_, freed) = self.by_base.range(..=address).next_back()?;
        let gap = if freed.kind.is_host() { 0 } else { ALIGNMENT };
        let end = freed.base.saturating_add(freed.subject.size).saturating_add(gap);
        (!matches!(freed.kind, Kind::Registered | Kind::Array(_)) && address < end).then_some(freed)
    }
}
