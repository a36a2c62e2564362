//! Driver calls that are made to fail.

use crate::error::Status;

/// A driver call that the simulated device fails on purpose.
///
/// Entry points go by their versioned names, such as `"cuMemAlloc_v2"`: those that
/// [`Sim::calls`](super::Sim::calls) lists. A call that is made to fail has no effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    entry: String,
    when: When,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Nth(u64),
    Every,
    Sticky(u64),
}

impl Fault {
    /// Fails the `n`-th call of `entry`, counted from 1, with `status`.
    #[must_use]
    pub fn nth(entry: &str, n: u64, status: Status) -> Self {
        Self { entry: entry.to_owned(), when: When::Nth(n), status }
    }

    /// Fails every call of `entry` with `status`.
    #[must_use]
    pub fn every(entry: &str, status: Status) -> Self {
        Self { entry: entry.to_owned(), when: When::Every, status }
    }

    /// Kills the context at the `n`-th call of `entry`, counted from 1, as a fault on the device does.
    ///
    /// From then on waits on the context return `status` at once and new work is refused with it, while copies queued
    /// before land later: a short time after, from a thread of the simulated device. With no context current on the
    /// calling thread, all contexts die.
    #[must_use]
    pub fn sticky(entry: &str, n: u64, status: Status) -> Self {
        Self { entry: entry.to_owned(), when: When::Sticky(n), status }
    }

    /// The entry point's name.
    pub(super) fn entry(&self) -> &str {
        &self.entry
    }
}

/// What a fault does to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It returns this code.
    Once(Status),
    /// It returns this code and its context dies of it.
    Sticky(Status),
}

/// The faults of a simulator, each with the calls of its entry point counted so far.
#[derive(Debug)]
pub(super) struct Faults(Vec<(Fault, u64)>);

impl Faults {
    /// No call counted yet.
    pub(super) fn new(faults: &[Fault]) -> Self {
        Self(faults.iter().map(|fault| (fault.clone(), 0)).collect())
    }

    /// Counts a call of `entry`; what is to happen to it, if anything.
    pub(super) fn count(&mut self, entry: &str) -> Option<Failure> {
        let mut first = None;
        for (fault, calls) in self.0.iter_mut().filter(|(fault, _)| fault.entry == entry) {
            *calls += 1;
            let failure = match fault.when {
                When::Nth(n) => (*calls == n).then_some(Failure::Once(fault.status)),
                When::Every => Some(Failure::Once(fault.status)),
                When::Sticky(n) => (*calls == n).then_some(Failure::Sticky(fault.status)),
            };
            first = first.or(failure);
        }
        first
    }
}
