//! What the checker finds, and how it says so.

use core::fmt;
use core::ops::Range;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::place::Place;

/// What kind of mistake a [`Violation`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// An operation uses memory that was freed, or that is freed without being ordered behind it.
    UseAfterFree,
    /// Memory was freed a second time.
    DoubleFree,
    /// A pointer was freed that no allocation of that kind starts at.
    InvalidFree,
    /// An operation reached past the end of an allocation.
    OutOfBounds,
    /// The host was given bytes of device memory that nothing has written.
    UninitRead,
    /// A copy reads bytes that it writes.
    Overlap,
    /// Bytes were read that another operation writes, and nothing orders the two.
    ReadAfterWrite,
    /// Bytes were written that another operation reads, and nothing orders the two.
    WriteAfterRead,
    /// Bytes were written that another operation writes, and nothing orders the two.
    WriteAfterWrite,
    /// The host changed, freed, unregistered or unmapped memory that an operation was still using, or touched managed
    /// memory while a device worked that has no concurrent access to it.
    HostInFlight,
    /// An event was waited for that was never recorded.
    UnrecordedEvent,
    /// A call was made in no context, in one that is gone, or in one that its operand does not belong to.
    WrongContext,
    /// Memory of another device was used without access to it.
    PeerAccess,
    /// A stream used managed memory that is attached to another stream, or to the host.
    WrongStream,
    /// Memory was never freed.
    Leak,
}

impl ViolationKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::UseAfterFree,
        Self::DoubleFree,
        Self::InvalidFree,
        Self::OutOfBounds,
        Self::UninitRead,
        Self::Overlap,
        Self::ReadAfterWrite,
        Self::WriteAfterRead,
        Self::WriteAfterWrite,
        Self::HostInFlight,
        Self::UnrecordedEvent,
        Self::WrongContext,
        Self::PeerAccess,
        Self::WrongStream,
        Self::Leak,
    ];

    /// The kind's stable name, in `snake_case`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UseAfterFree => "use_after_free",
            Self::DoubleFree => "double_free",
            Self::InvalidFree => "invalid_free",
            Self::OutOfBounds => "out_of_bounds",
            Self::UninitRead => "uninit_read",
            Self::Overlap => "overlap",
            Self::ReadAfterWrite => "read_after_write",
            Self::WriteAfterRead => "write_after_read",
            Self::WriteAfterWrite => "write_after_write",
            Self::HostInFlight => "host_in_flight",
            Self::UnrecordedEvent => "unrecorded_event",
            Self::WrongContext => "wrong_context",
            Self::PeerAccess => "peer_access",
            Self::WrongStream => "wrong_stream",
            Self::Leak => "leak",
        }
    }

    /// The kind as a report's first word.
    const fn title(self) -> &'static str {
        match self {
            Self::UseAfterFree => "use-after-free",
            Self::DoubleFree => "double-free",
            Self::InvalidFree => "invalid-free",
            Self::OutOfBounds => "out-of-bounds",
            Self::UninitRead => "uninit-read",
            Self::Overlap => "overlap",
            Self::ReadAfterWrite => "read-after-write",
            Self::WriteAfterRead => "write-after-read",
            Self::WriteAfterWrite => "write-after-write",
            Self::HostInFlight => "host-in-flight",
            Self::UnrecordedEvent => "unrecorded-event",
            Self::WrongContext => "wrong-context",
            Self::PeerAccess => "peer-access",
            Self::WrongStream => "wrong-stream",
            Self::Leak => "leak",
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The allocation that a violation is about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject {
    /// Its number, from 1 in the order of allocation.
    pub(super) number: u64,
    /// `"device memory"`, `"page-locked memory"`, …
    pub(super) memory: &'static str,
    /// In bytes, as it was asked for.
    pub(super) size: u64,
    /// Where it was made.
    pub(super) made: Place,
    /// Where it was freed, if it was.
    pub(super) freed: Option<Place>,
}

/// A mistake of the checked program, found by the simulated device.
///
/// `Display` prints the whole report. Its last line is stable: `key=value` pairs between brackets, made for tests and
/// tools; the other lines are prose and may change.
#[derive(Clone, Debug)]
pub struct Violation {
    kind: ViolationKind,
    operation: &'static str,
    summary: String,
    place: Place,
    subject: Option<Subject>,
    offset: Option<u64>,
    len: Option<u64>,
    stream: Option<u64>,
    other: Option<Other>,
    help: Cow<'static, str>,
    /// The random fault under which it came to be.
    fault: Option<Arc<str>>,
}

/// The second operation of a violation.
#[derive(Clone, Copy, Debug)]
struct Other {
    operation: &'static str,
    place: Place,
    stream: Option<u64>,
}

impl Violation {
    /// A violation of `kind` by `operation` (a stable key) at `place`; `summary` says it in a sentence, `help` what to
    /// do.
    pub(super) fn new(
        kind: ViolationKind,
        operation: &'static str,
        place: Place,
        summary: String,
        help: impl Into<Cow<'static, str>>,
    ) -> Self {
        let help = help.into();
        Self {
            kind,
            operation,
            summary,
            place,
            subject: None,
            offset: None,
            len: None,
            stream: None,
            other: None,
            help,
            fault: None,
        }
    }

    /// Names the allocation.
    pub(super) fn about(mut self, subject: Option<Subject>) -> Self {
        self.subject = subject;
        self
    }

    /// Names the bytes of the allocation.
    pub(super) fn range(mut self, offset: u64, len: u64) -> Self {
        self.offset = Some(offset);
        self.len = Some(len);
        self
    }

    /// Names the bytes, if they are known.
    pub(super) fn range_in(self, bytes: Option<Range<u64>>) -> Self {
        match bytes {
            Some(bytes) => self.range(bytes.start, bytes.end.saturating_sub(bytes.start)),
            None => self,
        }
    }

    /// Names the other operation.
    pub(super) fn against(mut self, operation: &'static str, place: Place, stream: Option<u64>) -> Self {
        self.other = Some(Other { operation, place, stream });
        self
    }

    /// Names the stream by its number, 0 for the legacy one.
    pub(super) fn on_stream(mut self, stream: Option<u64>) -> Self {
        self.stream = stream;
        self
    }

    /// What kind of mistake it is.
    #[must_use]
    pub const fn kind(&self) -> ViolationKind {
        self.kind
    }

    /// The operation that was wrong, by the name it has in the report's last line.
    #[must_use]
    pub const fn operation(&self) -> &'static str {
        self.operation
    }

    /// File and line of the operation that was wrong; of a leak, and of managed memory that the host
    /// touched, where the memory was allocated.
    #[must_use]
    pub fn place(&self) -> (&'static str, u32) {
        (self.place.file(), self.place.line())
    }

    /// File and line of the other operation, where a violation is between two.
    #[must_use]
    pub fn other_place(&self) -> Option<(&'static str, u32)> {
        self.other.map(|other| (other.place.file(), other.place.line()))
    }

    /// The other operation, by the name it has in the report's last line.
    #[must_use]
    pub fn other_operation(&self) -> Option<&'static str> {
        self.other.map(|other| other.operation)
    }

    /// File and line where the memory in question was allocated, if that is known.
    #[must_use]
    pub fn allocated_at(&self) -> Option<(&'static str, u32)> {
        self.subject.map(|subject| (subject.made.file(), subject.made.line()))
    }

    /// File and line where the memory in question was freed, if it was.
    #[must_use]
    pub fn freed_at(&self) -> Option<(&'static str, u32)> {
        self.subject.and_then(|subject| subject.freed).map(|place| (place.file(), place.line()))
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {}", self.kind.title(), self.summary)?;
        writeln!(f, "  at         {}", self.place)?;
        if let Some(other) = &self.other
            && self.subject.is_none_or(|subject| subject.freed != Some(other.place))
        {
            writeln!(f, "  other      {}   {}", other.place, other.operation)?;
        }
        if let Some(subject) = &self.subject {
            writeln!(f, "  allocated  {}   {}, {} bytes", subject.made, subject.memory, subject.size)?;
            if let Some(freed) = subject.freed {
                writeln!(f, "  freed      {freed}")?;
            }
        }
        if let Some(fault) = &self.fault {
            writeln!(f, "  faults     calls failed at random: MEMCORE_SIM_FAULTS={fault}")?;
        }
        writeln!(f, "  help       {}", self.help)?;
        write!(f, "[kind={} op={}", self.kind, self.operation)?;
        let facts = [
            ("alloc", self.subject.map(|subject| subject.number)),
            ("offset", self.offset),
            ("len", self.len),
            ("stream", self.stream),
        ];
        for (key, value) in facts {
            if let Some(value) = value {
                write!(f, " {key}={value}")?;
            }
        }
        if let Some(other) = &self.other {
            write!(f, " other_op={}", other.operation)?;
            if let Some(stream) = other.stream {
                write!(f, " other_stream={stream}")?;
            }
        }
        if let Some(fault) = &self.fault {
            write!(f, " faults={fault}")?;
        }
        f.write_str("]")
    }
}

/// The violations found so far.
#[derive(Debug, Default)]
pub(super) struct Reports {
    all: Vec<Violation>,
    /// Kind, places of both operations and of the allocation: what is told once.
    told: HashSet<(ViolationKind, Place, Option<Place>, Option<Place>)>,
    /// How many of them [`Reports::take_new`] has returned.
    taken: usize,
    /// The random fault that has failed calls, which every violation from then on names.
    pub(super) fault: Option<Arc<str>>,
}

impl Reports {
    /// Beyond this many, violations are dropped: a program that is wrong in a loop must not use up the memory.
    const MAX: usize = 10_000;

    /// Records a violation, unless it is one that a loop has made before. Of leaks and wrong frees each counts.
    pub(super) fn push(&mut self, mut violation: Violation) {
        violation.fault.clone_from(&self.fault);
        let (other, made) = (violation.other.map(|other| other.place), violation.subject.map(|subject| subject.made));
        let counts =
            matches!(violation.kind, ViolationKind::Leak | ViolationKind::DoubleFree | ViolationKind::InvalidFree);
        let is_new = counts || self.told.insert((violation.kind, violation.place, other, made));
        if is_new && self.all.len() < Self::MAX {
            self.all.push(violation);
        }
    }

    /// Everything recorded.
    pub(super) fn all(&self) -> Vec<Violation> {
        self.all.clone()
    }

    /// How many there are.
    pub(super) const fn count(&self) -> usize {
        self.all.len()
    }

    /// What was recorded since this was last asked for.
    pub(super) fn take_new(&mut self) -> Vec<Violation> {
        let new = self.all.get(self.taken..).unwrap_or_default().to_vec();
        self.taken = self.all.len();
        new
    }
}

/// A stream's name in a report.
pub(super) fn stream_name(number: u64) -> String {
    if number == 0 { "NULL".to_owned() } else { format!("s{number}") }
}
