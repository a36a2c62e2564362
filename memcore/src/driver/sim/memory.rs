//! The table of allocations: what lies at an address, and where its bytes are.

use core::ptr;
use std::collections::{BTreeMap, HashMap};

use super::array_shape::Shape;
use super::backing::{Backing, Touch};
use super::freed::{Freed, FreedMemory};
use super::graph::NodeId;
use super::managed::ManagedState;
use super::operation::Span;
use super::place::Place;
use super::report::Subject;
use super::shadow::Shadow;
use super::space::ALIGNMENT;
use super::written::Written;

/// How memory was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `cuMemAlloc`.
    Device,
    /// From the pool of this handle.
    Pool(u64),
    /// `cuMemAllocManaged`.
    Managed,
    /// `cuMemHostAlloc`.
    Locked,
    /// Page-locked memory in pages that memcore mapped and registered: see [`mapped`](super::mapped).
    Mapped,
    /// The program's own memory, `cuMemHostRegister`.
    Registered,
    /// A CUDA array, `cuArrayCreate`: its address is its handle, by which alone it is used.
    Array(Shape),
}

impl Kind {
    /// The kind in words.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::Device => "device memory",
            Self::Pool(_) => "pool memory",
            Self::Managed => "managed memory",
            Self::Locked | Self::Mapped => "page-locked memory",
            Self::Registered => "registered memory",
            Self::Array(_) => "a CUDA array",
        }
    }

    /// Whether only the device reaches the memory.
    pub(super) const fn is_device(self) -> bool {
        matches!(self, Self::Device | Self::Pool(_) | Self::Array(_))
    }

    /// Whether it is device memory that has addresses.
    pub(super) const fn is_linear(self) -> bool {
        matches!(self, Self::Device | Self::Pool(_))
    }

    /// Whether it is page-locked memory of the host.
    pub(super) const fn is_host(self) -> bool {
        matches!(self, Self::Locked | Self::Mapped | Self::Registered)
    }
}

/// Live memory that the driver knows.
#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each says something of its own")]
pub(super) struct Allocation {
    /// Its number, from 1 in the order of allocation.
    pub(super) id: u64,
    /// How it was made.
    pub(super) kind: Kind,
    /// The device it lies on; of host memory, the one whose context made it.
    pub(super) device: usize,
    /// The context that made it.
    pub(super) context: u64,
    /// Its address.
    pub(super) base: u64,
    /// In bytes, as the program asked for.
    pub(super) size: u64,
    /// Where it was made.
    pub(super) made: Place,
    /// Where its free was queued, while that has not run.
    pub(super) freed: Option<Place>,
    /// Whether reports of leaks leave it out: it is reported already, or kept by memcore for itself.
    pub(super) accounted_for: bool,
    /// The bytes of device memory; `None` until the operation that allocates it has run, and for other memory.
    pub(super) backing: Option<Backing>,
    /// Queued operations that use it, some of which may have run since.
    pub(super) users: Vec<NodeId>,
    /// The length of `users` at which those that have run are dropped.
    pub(super) users_limit: usize,
    /// What operations use of it, as far as it matters.
    pub(super) shadow: Shadow,
    /// Which bytes have been written, of memory that the host does not reach.
    pub(super) written: Option<Written>,
    /// Whether operations on it were found to race.
    pub(super) has_raced: bool,
    /// Of managed memory, whose it is and what has been said about it.
    pub(super) managed: Option<ManagedState>,
    /// Of page-locked memory, the flags that it was allocated with.
    pub(super) flags: u32,
    /// Whether it was registered for the device to read only.
    pub(super) is_read_only: bool,
    /// Whether its pages are closed to the host: see [`guard`](super::guard).
    pub(super) is_guarded: bool,
}

impl Allocation {
    /// What a report says about it.
    pub(super) fn subject(&self) -> Subject {
        Subject {
            number: self.id,
            memory: self.kind.description(),
            size: self.size,
            made: self.made,
            freed: self.freed,
        }
    }

    /// The first address past its end.
    pub(super) fn end(&self) -> u64 {
        self.base.saturating_add(self.size)
    }
}

/// What lies at an address.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    /// This allocation.
    Live(u64),
    /// Nothing, but this allocation ends just before.
    PastEnd(u64),
    /// Memory that was freed.
    Freed(Freed),
    /// Nothing that the driver knows.
    Unknown,
}

/// All allocations of a simulator.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// INVARIANT: the bytes of managed, page-locked and registered memory are good for reads and writes at their
    /// address, whose provenance is exposed; managed memory that is guarded, once it is unguarded; what was registered as
    /// read-only, for reads alone.
    live: HashMap<u64, Allocation>,
    by_base: BTreeMap<u64, u64>,
    /// What was taken out.
    pub(super) freed: FreedMemory,
    count: u64,
}

impl Memory {
    /// Enters an allocation; its number.
    ///
    /// # Safety
    ///
    /// Of memory that the host reaches (managed, page-locked, registered): until [`Memory::remove`] takes it out, the
    /// `size` bytes at `base` are mapped, readable and writable, and their provenance is exposed. What is readable alone is
    /// marked so before it is used.
    pub(super) unsafe fn insert(
        &mut self,
        (kind, device, context): (Kind, usize, u64),
        (base, size): (u64, u64),
        made: Place,
        backing: Option<Backing>,
    ) -> u64 {
        self.count += 1;
        let id = self.count;
        self.freed.forget(base, size);
        self.by_base.insert(base, id);
        let allocation = Allocation {
            id,
            kind,
            device,
            context,
            base,
            size,
            made,
            freed: None,
            accounted_for: false,
            backing,
            users: Vec::new(),
            users_limit: 16,
            shadow: Shadow::default(),
            written: kind.is_device().then(Written::default),
            has_raced: false,
            managed: None,
            flags: 0,
            is_read_only: false,
            is_guarded: false,
        };
        // INVARIANT: this function's contract.
        self.live.insert(id, allocation);
        id
    }

    /// Takes an allocation out of the table, and remembers that it was freed at `place`.
    pub(super) fn remove(&mut self, id: u64, place: Place) -> Option<Allocation> {
        let mut allocation = self.live.remove(&id)?;
        allocation.unguard();
        self.by_base.remove(&allocation.base);
        self.freed.insert(&allocation, place);
        Some(allocation)
    }

    /// An allocation by its number.
    pub(super) fn get(&self, id: u64) -> Option<&Allocation> {
        self.live.get(&id)
    }

    /// An allocation by its number.
    pub(super) fn get_mut(&mut self, id: u64) -> Option<&mut Allocation> {
        self.live.get_mut(&id)
    }

    /// The allocation that starts at `address`.
    pub(super) fn at(&self, address: u64) -> Option<&Allocation> {
        self.live.get(self.by_base.get(&address)?)
    }

    /// All live allocations, in the order of their making.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Allocation> {
        let mut all: Vec<_> = self.live.values().collect();
        all.sort_unstable_by_key(|allocation| allocation.id);
        all.into_iter()
    }

    /// All live allocations, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Allocation> {
        self.live.values_mut()
    }

    /// The live allocation that holds `address`.
    pub(super) fn holding(&self, address: u64) -> Option<&Allocation> {
        match self.find(address) {
            Found::Live(id) => self.get(id),
            _ => None,
        }
    }

    /// What lies at `address`, by which no array is used.
    pub(super) fn find(&self, address: u64) -> Found {
        let live = self.by_base.range(..=address).next_back().and_then(|(_, id)| self.live.get(id));
        let freed = self.freed.holding(address).filter(|freed| live.is_none_or(|live| live.base < freed.base));
        match (live, freed) {
            (_, Some(freed)) => Found::Freed(*freed),
            (Some(live), None) if matches!(live.kind, Kind::Array(_)) => Found::Unknown,
            (Some(live), None) if address < live.end() || address == live.base => Found::Live(live.id),
            (Some(live), None) if !live.kind.is_host() && address < live.end().saturating_add(ALIGNMENT) => {
                Found::PastEnd(live.id)
            }
            _ => Found::Unknown,
        }
    }

    /// The kind of the last live allocation that has bytes in the range, if any has.
    pub(super) fn last_kind_in(&self, base: u64, size: u64) -> Option<Kind> {
        let last = base.saturating_add(size.saturating_sub(1));
        let before = self.by_base.range(..=last).next_back().and_then(|(_, id)| self.live.get(id));
        before.filter(|allocation| allocation.end() > base).map(|allocation| allocation.kind)
    }

    /// A pointer to the first byte of a span; `None` where the bytes have been freed or are not there yet.
    ///
    /// It is good for reads and writes of the span while the allocation is in the table; for writes, unless that is
    /// read-only, which [`operand`](super::operand) sees to.
    pub(super) fn reach(&mut self, span: &Span, touch: Touch) -> Option<*mut u8> {
        let allocation = self.live.get_mut(&span.allocation())?;
        let bytes = span.rows().hull();
        let (offset, len) = (usize::try_from(bytes.start).ok()?, usize::try_from(bytes.end - bytes.start).ok()?);
        if allocation.kind.is_device() {
            // What lies between rows is not overwritten.
            let is_whole = span.rows().len() == bytes.end - bytes.start;
            let touch = if is_whole { touch } else { Touch::Read };
            return allocation.backing.as_mut()?.reach(offset, len, touch);
        }
        if bytes.end > allocation.size {
            return None;
        }
        allocation.unguard();
        let address = usize::try_from(allocation.base).ok()?.checked_add(offset)?;
        Some(ptr::with_exposed_provenance_mut(address))
    }
}
