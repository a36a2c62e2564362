//! A test with each of its calls failing in turn, and with some failing at random.

use std::collections::BTreeMap;
use std::env;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use libtest_mimic::Failed;
use memcore::Status;
use memcore::sim::Fault;

use crate::rules;
use crate::run::{After, Body, Run, run};

/// What is done to each call, and what must hold then.
pub(crate) struct Sweep {
    what: &'static str,
    /// The fault for the `n`-th call of a driver function, of so many calls in all.
    fault: fn(&str, u64, u64) -> Fault,
    /// Whether it can be done to a call of a driver function in a test.
    applies: fn(&str, &str) -> bool,
    /// What must hold of a run, beside one without a fault, when a call of a driver function was chosen.
    check: fn(&Run, &Run, &str) -> Result<(), String>,
    /// Whether each fault strikes, for sure.
    strikes: bool,
    /// Whether the contexts work on.
    works: bool,
    /// So many calls of a test are chosen, unless `MEMCORE_SWEEP=full`.
    some: usize,
    tests: AtomicU64,
    injected: AtomicU64,
    recorded: AtomicU64,
    missed: AtomicU64,
}

/// A call fails, once.
pub(crate) static FAILURES: Sweep = Sweep {
    what: "calls failed in turn",
    fault: |entry, n, _| Fault::nth(entry, n, passing(entry, n)),
    applies: |_, _| true,
    check: rules::after_a_failure,
    works: true,
    some: 40,
    ..EMPTY
};

/// The context dies at a call.
pub(crate) static DEATHS: Sweep = Sweep {
    what: "calls killed the context",
    fault: |entry, n, _| Fault::sticky(entry, n, Status::ILLEGAL_ADDRESS),
    applies: rules::may_die,
    check: rules::after_a_death,
    works: false,
    some: 8,
    ..EMPTY
};

/// Calls fail at random: some three in one run.
pub(crate) static RANDOM: Sweep = Sweep {
    what: "seeds of random faults",
    fault: |_, seed, calls| Fault::random(seed, (3000 / calls).clamp(1, 50) as u32, Status::UNKNOWN),
    check: rules::after_some_failures,
    strikes: false,
    works: false,
    some: 4,
    ..EMPTY
};

#[allow(clippy::declare_interior_mutable_const, reason = "each copy counts for itself")]
const EMPTY: Sweep = Sweep {
    what: "",
    fault: |entry, n, _| Fault::nth(entry, n, Status::UNKNOWN),
    applies: |_, _| true,
    check: |_, _, _| Ok(()),
    strikes: true,
    works: true,
    some: 0,
    tests: AtomicU64::new(0),
    injected: AtomicU64::new(0),
    recorded: AtomicU64::new(0),
    missed: AtomicU64::new(0),
};

/// A code for the `n`-th call, of an error that passes: one that is likely for it, one that no driver has, or one that
/// memcore acts on.
fn passing(entry: &str, n: u64) -> Status {
    let allocates = ["cuMemAlloc", "cuMemHostAlloc", "cuMemPoolCreate", "cuStreamCreate", "cuEventCreate"];
    let allocates = allocates.iter().any(|start| entry.starts_with(start));
    let likely = if allocates { Status::OUT_OF_MEMORY } else { Status::UNKNOWN };
    [Status::OUT_OF_MEMORY, likely, Status(4242)][n as usize % 3]
}

impl Sweep {
    fn without_a_fault(&self) -> After {
        After { works: self.works, patience: (rules::LONG, rules::SHORT) }
    }

    /// What was swept.
    pub(crate) fn summary(&self) -> String {
        let counts = [&self.tests, &self.injected, &self.recorded, &self.missed].map(|count| count.load(Relaxed));
        let ([tests, injected, recorded, missed], what) = (counts, self.what);
        format!("sweep: {tests} tests, {injected} of {recorded} {what}, {missed} did not come")
    }

    /// Does it to each call of a test.
    pub(crate) fn every_call(&self, name: &str, body: Body) -> Result<(), Failed> {
        let clean = run(body, None, self.without_a_fault());
        rules::without_a_fault(&clean)?;
        let all = clean.calls.iter().flat_map(|(entry, count)| (1..=*count).map(|n| (*entry, n)));
        let recorded: Vec<_> = all.filter(|(entry, _)| (self.applies)(name, entry)).collect();
        let chosen = self.choose(name, &clean.calls, &recorded);
        self.each(name, body, &clean, recorded.len(), &chosen)
    }

    /// Does it to a test by some seeds, of which each is for all driver functions.
    pub(crate) fn some_seeds(&self, name: &str, body: Body) -> Result<(), Failed> {
        let clean = run(body, None, self.without_a_fault());
        rules::without_a_fault(&clean)?;
        let first = Random::of(name).below(1 << 20) as u64;
        let many = if is_full() { 10 * self.some } else { self.some };
        let seeds: Vec<_> = (first..).map(|seed| ("", seed)).take(many).collect();
        self.each(name, body, &clean, seeds.len(), &seeds)
    }

    /// Runs a test once for each of these, and checks the run.
    fn each(
        &self,
        name: &str,
        body: Body,
        clean: &Run,
        recorded: usize,
        chosen: &[(&'static str, u64)],
    ) -> Result<(), Failed> {
        let (mut problems, mut missed) = (Vec::new(), Vec::new());
        let calls = clean.calls.values().sum();
        for &(entry, n) in chosen {
            let fault = (self.fault)(entry, n, calls);
            // Threads that run beside each other make more calls of a kind in one run than in another.
            let patience = if self.works { rules::patience(clean, entry) } else { (rules::SHORT, Duration::ZERO) };
            let after = After { works: self.works, patience };
            let tries = if self.strikes { 20 } else { 1 };
            let mut runs = (0..tries).map(|_| run(body, Some(&fault), after));
            match runs.find(|run| !run.failures.is_empty()) {
                Some(run) => {
                    let checked = (self.check)(&run, clean, entry);
                    problems.extend(checked.err().map(|problem| format!("{fault}: {problem}")));
                }
                None => missed.push(format!("{fault}: the call did not come")),
            }
        }
        self.tests.fetch_add(1, Relaxed);
        self.recorded.fetch_add(recorded as u64, Relaxed);
        self.injected.fetch_add((chosen.len() - missed.len()) as u64, Relaxed);
        self.missed.fetch_add(missed.len() as u64, Relaxed);
        if self.strikes && !rules::has_threads(name) {
            problems.extend(missed);
        }
        match problems.first() {
            None => Ok(()),
            Some(first) => Err(format!("{} of {} calls:\n{first}", problems.len(), chosen.len()).into()),
        }
    }

    /// All calls, or some by a seed: then the first and the last of each driver function as far as there is room.
    fn choose(
        &self,
        name: &str,
        counts: &BTreeMap<&'static str, u64>,
        recorded: &[(&'static str, u64)],
    ) -> Vec<(&'static str, u64)> {
        if recorded.len() <= self.some || is_full() {
            return recorded.to_vec();
        }
        let mut random = Random::of(name);
        let is_end = |(entry, n): &(&'static str, u64)| *n == 1 || *n == counts[entry];
        let (mut ends, mut rest): (Vec<_>, Vec<_>) = recorded.iter().copied().partition(is_end);
        let mut chosen = Vec::new();
        for from in [&mut ends, &mut rest] {
            while chosen.len() < self.some && !from.is_empty() {
                chosen.push(from.swap_remove(random.below(from.len())));
            }
        }
        chosen
    }
}

/// Whether nothing is to be left out.
fn is_full() -> bool {
    env::var_os("MEMCORE_SWEEP").is_some_and(|value| value == "full")
}

/// Numbers that look random and are the same for each name.
struct Random(u64);

impl Random {
    fn of(name: &str) -> Self {
        let mix = |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
        Self(name.bytes().fold(0xCBF2_9CE4_8422_2325, mix))
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}
