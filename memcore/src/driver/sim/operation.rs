//! Operations: what they do, and on which memory.

use core::ffi::c_void;
use core::mem::MaybeUninit;

use super::backing::Backing;
use super::clock::Clock;
use super::rows::Rows;
use super::watch::Snapshot;
use crate::driver::ffi::{CUhostFn, Handle};

/// Bytes of an allocation that an operation reads or writes.
///
/// INVARIANT: until the span is dropped, the program leaves the bytes to the operation that holds it: it does not write
/// them, and where the operation writes them, does not touch them. What lies between rows is the program's.
#[derive(Debug)]
pub(super) struct Span {
    allocation: u64,
    rows: Rows,
}

impl Span {
    /// Rows of an allocation, counted from its start.
    ///
    /// # Safety
    ///
    /// Until the span is dropped, the program leaves the bytes to the operation that it is made for.
    pub(super) const unsafe fn new(allocation: u64, rows: Rows) -> Self {
        // INVARIANT: the caller's contract.
        Self { allocation, rows }
    }

    /// The allocation's number.
    pub(super) const fn allocation(&self) -> u64 {
        self.allocation
    }

    /// Which of the allocation's bytes.
    pub(super) const fn rows(&self) -> &Rows {
        &self.rows
    }

    /// Whether both have a byte in common.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.allocation == other.allocation && self.rows.overlaps(&other.rows)
    }
}

/// Pageable host memory, which the table does not hold.
///
/// INVARIANT: as of a [`Span`], and the bytes are good for reads (of a source) or writes (of a target) until the value is
/// dropped; the provenance of their addresses is exposed.
#[derive(Debug)]
pub(super) struct Pageable {
    rows: Rows,
    /// Whether the program must leave the bytes alone when the call has returned.
    is_held: bool,
}

impl Pageable {
    /// Rows by address, that the program must leave alone when the call has returned, or need not.
    ///
    /// # Safety
    ///
    /// Until the value is dropped, the bytes are good for what the operation that it is made for does, and the program
    /// leaves them to it. The provenance of their addresses is exposed.
    pub(super) const unsafe fn new(rows: Rows, is_held: bool) -> Self {
        // INVARIANT: the caller's contract.
        Self { rows, is_held }
    }

    /// Which addresses are in use after the call.
    pub(super) fn in_use(&self) -> Option<Rows> {
        self.is_held.then_some(self.rows)
    }

    /// To the first byte; good for what the operation does with the rows.
    pub(super) fn pointer(&self) -> *mut u8 {
        core::ptr::with_exposed_provenance_mut(self.rows.start() as usize)
    }

    /// By address.
    pub(super) const fn rows(&self) -> &Rows {
        &self.rows
    }
}

/// Bytes of host memory that were read when their copy was queued.
#[derive(Debug)]
pub(super) struct Staged {
    /// The bytes, without what lies between rows.
    pub(super) bytes: Box<[MaybeUninit<u8>]>,
    /// The rows that they were read from.
    pub(super) rows: Rows,
    /// Whether the program must leave those, which are pageable memory by address, alone until the copy is done: the
    /// driver might read them later.
    pub(super) is_held: bool,
}

impl Staged {
    /// Which addresses are in use.
    pub(super) fn in_use(&self) -> Option<Rows> {
        self.is_held.then_some(self.rows)
    }
}

/// What a copy reads.
#[derive(Debug)]
pub(super) enum Source {
    /// Memory of the table.
    Memory(Span),
    /// Pageable host memory, read when the copy was queued.
    Staged(Staged),
    /// Pageable host memory, read when the copy runs.
    Pageable(Pageable),
}

impl Source {
    /// The table's memory, if it is that.
    pub(super) const fn span(&self) -> Option<&Span> {
        if let Self::Memory(span) = self { Some(span) } else { None }
    }
}

/// What a copy writes.
#[derive(Debug)]
pub(super) enum Target {
    /// Memory of the table.
    Memory(Span),
    /// Pageable host memory.
    Pageable(Pageable),
}

impl Target {
    /// The table's memory, if it is that.
    pub(super) const fn span(&self) -> Option<&Span> {
        if let Self::Memory(span) = self { Some(span) } else { None }
    }
}

/// What a queued operation does.
#[derive(Debug)]
pub(super) enum Op {
    /// It uses no memory that anyone could miss.
    Barrier,
    /// It waits for an event, which orders by the event alone: nothing documents that a wait in the legacy stream orders the
    /// streams around it.
    Wait,
    /// Copies bytes; the sides may overlap.
    Copy {
        /// The destination.
        to: Target,
        /// The source, of the same shape.
        from: Source,
    },
    /// Repeats the first `unit` bytes of `pattern`, in each row from its start.
    Fill {
        /// The destination.
        to: Span,
        /// The value's bytes.
        pattern: [u8; 4],
        /// How many of them are used.
        unit: usize,
    },
    /// The bytes of pageable memory must be what they were.
    Verify {
        /// By address.
        target: Rows,
        /// What they were.
        was: Snapshot,
    },
    /// The allocation gets its bytes.
    Alloc {
        /// Its number.
        allocation: u64,
        /// The bytes, poisoned.
        backing: Backing,
    },
    /// The allocation ends.
    Free {
        /// Its number.
        allocation: u64,
    },
    /// Managed memory becomes somebody else's.
    Attach {
        /// Its number.
        allocation: u64,
    },
    /// The event takes place.
    Record {
        /// Its handle.
        event: u64,
        /// Which of its recordings this is.
        recording: u64,
    },
    /// The host calls a function of the program's: see [`host_function`](super::host_function).
    Call {
        /// The function.
        function: CUhostFn,
        /// What it is given.
        data: Handle<*mut c_void>,
        /// What comes before it.
        clock: Clock,
    },
}

impl Op {
    /// The table's memory that the operation writes.
    pub(super) fn written(&self) -> Option<&Span> {
        match self {
            Self::Copy { to, .. } => to.span(),
            Self::Fill { to, .. } => Some(to),
            _ => None,
        }
    }

    /// The table's memory that the operation reads or writes.
    pub(super) fn spans(&self) -> impl Iterator<Item = &Span> {
        let (to, from) = match self {
            Self::Copy { to, from } => (to.span(), from.span()),
            Self::Fill { to, .. } => (Some(to), None),
            _ => (None, None),
        };
        to.into_iter().chain(from)
    }
}
