//! Driver calls that are made to fail.

use core::fmt;
use std::collections::HashMap;
use std::sync::Arc;

use super::front::has_entry_point;
use crate::error::Status;

/// A driver call that the simulated device fails on purpose.
///
/// Entry points go by their versioned names, such as `"cuMemAlloc_v2"`: those that
/// [`Sim::calls`](super::Sim::calls) lists. A call that is made to fail has no effect.
///
/// `Display` writes a fault as the variable `MEMCORE_SIM_FAULTS` takes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// INVARIANT: one, but for random faults: none stands for all there are.
    entries: Vec<String>,
    when: When,
    status: Status,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Nth(u64),
    Every,
    Sticky(u64),
    Deinitialized(u64),
    Random { seed: u64, per_mille: u32 },
}

impl Fault {
    fn new(entry: &str, when: When, status: Status) -> Self {
        Self { entries: vec![entry.to_owned()], when, status }
    }

    /// Fails the `n`-th call of `entry`, counted from 1, with `status`.
    #[must_use]
    pub fn nth(entry: &str, n: u64, status: Status) -> Self {
        Self::new(entry, When::Nth(n), status)
    }

    /// Fails every call of `entry` with `status`.
    #[must_use]
    pub fn every(entry: &str, status: Status) -> Self {
        Self::new(entry, When::Every, status)
    }

    /// Kills the context at the `n`-th call of `entry`, counted from 1, as a fault on the device does.
    ///
    /// From then on waits on the context return `status` at once and new work is refused with it, while copies queued
    /// before land later: a short time after, from a thread of the simulated device. With no context current on the
    /// calling thread, all contexts die.
    #[must_use]
    pub fn sticky(entry: &str, n: u64, status: Status) -> Self {
        Self::new(entry, When::Sticky(n), status)
    }

    /// Shuts the driver down at the `n`-th call of `entry`, counted from 1, as the end of the process does.
    ///
    /// That call and every later one, of whatever entry point, returns [`Status::DEINITIALIZED`]. What is queued runs
    /// first; what is allocated goes with the driver and is no leak.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Fault, Sim, SimOptions};
    ///
    /// let sim = Sim::new(SimOptions::default().fail(Fault::deinitialized("cuMemFreeAsync", 1)));
    /// let context = Context::new(&sim.device(0)?)?;
    /// drop(device_vec![in &context; 1u8, 2, 3]?); // the driver is gone, and the memory with it
    /// assert_eq!(context.take_drop_errors(), []);
    /// assert!(context.synchronize().is_err());
    /// # Ok::<(), memcore::Error>(())
    /// ```
    #[must_use]
    pub fn deinitialized(entry: &str, n: u64) -> Self {
        Self::new(entry, When::Deinitialized(n), Status::DEINITIALIZED)
    }

    /// Fails calls of all entry points at random with `status`: of a thousand, `per_mille`. One `seed` gives one choice
    /// of calls; which calls these are depends on the program alone, as long as it makes them in one order.
    ///
    /// The first call that fails is logged with the seed, and every violation found from then on names it.
    /// [`Sim::failures`](super::Sim::failures) has each call.
    ///
    /// ```
    /// use memcore::prelude::*;
    /// use memcore::sim::{Fault, Sim, SimOptions};
    /// use memcore::Status;
    ///
    /// let sim = Sim::new(SimOptions::default().fail(Fault::random(7, 500, Status::UNKNOWN)));
    /// let mut opened = sim.device(0).and_then(|device| Context::new(&device));
    /// while opened.is_err() {
    ///     opened = sim.device(0).and_then(|device| Context::new(&device));
    /// }
    /// // What failed can be made to fail again, one by one.
    /// assert!(sim.failures().iter().all(|fault| fault.to_string().starts_with("nth:")));
    /// ```
    #[must_use]
    pub fn random(seed: u64, per_mille: u32, status: Status) -> Self {
        Self { entries: Vec::new(), when: When::Random { seed, per_mille }, status }
    }

    /// As [`random`](Self::random), of calls of these entry points alone.
    #[must_use]
    pub fn random_of<'e>(
        entries: impl IntoIterator<Item = &'e str>,
        seed: u64,
        per_mille: u32,
        status: Status,
    ) -> Self {
        let entries: Vec<_> = entries.into_iter().map(str::to_owned).collect();
        // None would stand for all.
        let per_mille = if entries.is_empty() { 0 } else { per_mille };
        Self { entries, when: When::Random { seed, per_mille }, status }
    }

    /// The entry points' names, none for all.
    pub(super) fn entries(&self) -> &[String] {
        &self.entries
    }

    /// Whether it is about calls of `entry`.
    fn is_about(&self, entry: &str) -> bool {
        self.entries.is_empty() || self.entries.iter().any(|of| of == entry)
    }

    /// What `MEMCORE_SIM_FAULTS` says, one fault after another; `None` where it says nothing.
    pub(super) fn parse_list(list: &str) -> Option<Vec<Self>> {
        list.split(',').map(|fault| Self::parse(fault.trim())).collect()
    }

    /// As `Display` writes it. A status may be left out: then it is `UNKNOWN`.
    fn parse(fault: &str) -> Option<Self> {
        let mut parts = fault.split(':');
        let mut next = || parts.next();
        let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok());
        // Calls are counted from 1.
        let nth = |text: Option<&str>| number(text).filter(|n| *n > 0);
        let status = |text: Option<&str>| text.map_or(Some(Status::UNKNOWN), |text| text.parse().ok().map(Status));
        let kind = next()?;
        let parsed = if kind == "random" {
            let (seed, per_mille) = (number(next())?, u32::try_from(number(next())?).ok().filter(|n| *n <= 1000)?);
            let status = status(next().filter(|text| !text.is_empty()))?;
            match next() {
                Some(entries) => Self::random_of(entries.split('+'), seed, per_mille, status),
                None => Self::random(seed, per_mille, status),
            }
        } else {
            let entry = next()?;
            match kind {
                "nth" => Self::nth(entry, nth(next())?, status(next())?),
                "every" => Self::every(entry, status(next())?),
                "sticky" => Self::sticky(entry, nth(next())?, status(next())?),
                "deinitialized" => Self::deinitialized(entry, nth(next())?),
                _ => return None,
            }
        };
        let is_known = parsed.entries.iter().all(|entry| has_entry_point(entry));
        (next().is_none() && is_known).then_some(parsed)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (entry, status) = (self.entries.join("+"), self.status.0);
        match self.when {
            When::Nth(n) => write!(f, "nth:{entry}:{n}:{status}"),
            When::Every => write!(f, "every:{entry}:{status}"),
            When::Sticky(n) => write!(f, "sticky:{entry}:{n}:{status}"),
            When::Deinitialized(n) => write!(f, "deinitialized:{entry}:{n}"),
            When::Random { seed, per_mille } => {
                write!(f, "random:{seed}:{per_mille}:{status}")?;
                if entry.is_empty() { Ok(()) } else { write!(f, ":{entry}") }
            }
        }
    }
}

/// What a fault does to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// It returns this code.
    Once(Status),
    /// It returns this code and its context dies of it.
    Sticky(Status),
    /// The driver is shut down.
    Deinitialized,
}

/// A fault, with what it has to remember.
#[derive(Debug)]
struct Armed {
    fault: Fault,
    /// The calls that it is about, so far.
    calls: u64,
    random: fastrand::Rng,
}

impl Armed {
    /// Counts a call; what is to happen to it, if anything.
    fn count(&mut self) -> Option<Failure> {
        self.calls += 1;
        let status = self.fault.status;
        let (strikes, failure) = match self.fault.when {
            When::Nth(n) => (self.calls == n, Failure::Once(status)),
            When::Every => (true, Failure::Once(status)),
            When::Sticky(n) => (self.calls == n, Failure::Sticky(status)),
            When::Deinitialized(n) => (self.calls == n, Failure::Deinitialized),
            When::Random { per_mille, .. } => (self.random.u32(..1000) < per_mille, Failure::Once(status)),
        };
        strikes.then_some(failure)
    }
}

/// The faults of a simulator, and what they did.
#[derive(Debug, Default)]
pub(super) struct Faults {
    armed: Vec<Armed>,
    calls: HashMap<&'static str, u64>,
    failures: Vec<Fault>,
    news: Option<String>,
    /// Whether the driver has shut down: then every call says so.
    pub(super) is_shut_down: bool,
    /// The random fault that struck first, as `Display` writes it.
    pub(super) random: Option<Arc<str>>,
}

impl Faults {
    /// Beyond this many, calls that failed are not remembered.
    const MAX_FAILURES: usize = 1 << 16;

    /// No call counted yet.
    pub(super) fn new(faults: &[Fault]) -> Self {
        let arm = |fault: &Fault| {
            let seed = if let When::Random { seed, .. } = fault.when { seed } else { 0 };
            Armed { fault: fault.clone(), calls: 0, random: fastrand::Rng::with_seed(seed) }
        };
        Self { armed: faults.iter().map(arm).collect(), ..Self::default() }
    }

    /// Counts a call of `entry`; what is to happen to it, if anything.
    pub(super) fn count(&mut self, entry: &'static str) -> Option<Failure> {
        if self.armed.is_empty() {
            return None;
        }
        let calls = self.calls.entry(entry).or_default();
        *calls += 1;
        let mut first = None;
        for armed in self.armed.iter_mut().filter(|armed| armed.fault.is_about(entry)) {
            let failure = armed.count();
            if failure.is_some() && first.is_none() {
                first = failure;
                if let When::Random { .. } = armed.fault.when
                    && self.random.is_none()
                {
                    self.random = Some(armed.fault.to_string().into());
                    self.news = Some(format!(
                        "a call of {entry} fails at random, and others will; again by MEMCORE_SIM_FAULTS={}",
                        armed.fault
                    ));
                }
            }
        }
        if let Some(failure) = first
            && self.failures.len() < Self::MAX_FAILURES
        {
            self.failures.push(match failure {
                Failure::Once(status) => Fault::nth(entry, *calls, status),
                Failure::Sticky(status) => Fault::sticky(entry, *calls, status),
                Failure::Deinitialized => Fault::deinitialized(entry, *calls),
            });
        }
        first
    }

    /// The calls that failed, each as the fault that repeats it.
    pub(super) fn failures(&self) -> &[Fault] {
        &self.failures
    }

    /// What is to be said, once.
    pub(super) fn take_news(&mut self) -> Option<String> {
        self.news.take()
    }
}
