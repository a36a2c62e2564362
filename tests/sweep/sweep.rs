//! A test with each of its calls failing in turn.

use std::collections::BTreeMap;
use std::env;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use libtest_mimic::Failed;
use memcore::Status;
use memcore::sim::Fault;

use crate::rules;
use crate::run::{After, Body, Run, run};

/// What is done to each call, and what must hold then.
pub(crate) struct Sweep {
    what: &'static str,
    /// The fault for the `n`-th call of a driver function.
    fault: fn(&str, u64) -> Fault,
    /// Whether it can be done to a call of a driver function in a test.
    applies: fn(&str, &str) -> bool,
    /// What must hold of a run, beside one without a fault, when a call of a driver function was chosen.
    check: fn(&Run, &Run, &str) -> Result<(), String>,
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
    what: "failed",
    fault: |entry, n| Fault::nth(entry, n, passing(entry, n)),
    applies: |_, _| true,
    check: rules::after_a_failure,
    works: true,
    some: 40,
    ..EMPTY
};

/// The context dies at a call.
pub(crate) static DEATHS: Sweep = Sweep {
    what: "killed the context",
    fault: |entry, n| Fault::sticky(entry, n, Status::ILLEGAL_ADDRESS),
    applies: rules::may_die,
    check: rules::after_a_death,
    works: false,
    some: 8,
    ..EMPTY
};

#[allow(clippy::declare_interior_mutable_const, reason = "each copy counts for itself")]
const EMPTY: Sweep = Sweep {
    what: "",
    fault: |entry, n| Fault::nth(entry, n, Status::UNKNOWN),
    applies: |_, _| true,
    check: |_, _, _| Ok(()),
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
    /// What was swept.
    pub(crate) fn summary(&self) -> String {
        let counts = [&self.tests, &self.injected, &self.recorded, &self.missed].map(|count| count.load(Relaxed));
        let ([tests, injected, recorded, missed], what) = (counts, self.what);
        format!("sweep: {tests} tests, {injected} of {recorded} calls {what} in turn, {missed} did not come")
    }

    /// Does it to each call of a test.
    pub(crate) fn every_call(&self, name: &str, body: Body) -> Result<(), Failed> {
        let clean = run(body, None, After { works: self.works, closes: true });
        rules::without_a_fault(&clean)?;
        let all = clean.calls.iter().flat_map(|(entry, count)| (1..=*count).map(|n| (*entry, n)));
        let recorded: Vec<_> = all.filter(|(entry, _)| (self.applies)(name, entry)).collect();
        let chosen = self.choose(name, &clean.calls, &recorded);
        let after = After { works: self.works, closes: self.works && rules::closes(&clean) };
        let mut problems = Vec::new();
        let mut missed = Vec::new();
        for &(entry, n) in &chosen {
            let fault = (self.fault)(entry, n);
            // Threads that run beside each other make more calls of a kind in one run than in another.
            let mut runs = (0..20).map(|_| run(body, Some(&fault), after));
            match runs.find(|run| !run.failures.is_empty()) {
                Some(run) => {
                    let checked = (self.check)(&run, &clean, entry);
                    problems.extend(checked.err().map(|problem| format!("{fault}: {problem}")));
                }
                None => missed.push(format!("{fault}: the call did not come")),
            }
        }
        self.tests.fetch_add(1, Relaxed);
        self.recorded.fetch_add(recorded.len() as u64, Relaxed);
        self.injected.fetch_add((chosen.len() - missed.len()) as u64, Relaxed);
        self.missed.fetch_add(missed.len() as u64, Relaxed);
        if !rules::has_threads(name) {
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
        if recorded.len() <= self.some || env::var_os("MEMCORE_SWEEP").is_some_and(|value| value == "full") {
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
