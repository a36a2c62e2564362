//! A test with each of its calls failing in turn, and what must hold of every run.

use std::collections::BTreeMap;
use std::env;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use libtest_mimic::Failed;
use memcore::Status;
use memcore::sim::{Fault, Violation, ViolationKind};

use crate::run::{Body, Run, run};

/// So many calls of a test fail in turn, unless `MEMCORE_SWEEP=full`.
const SOME: usize = 40;

static TESTS: AtomicU64 = AtomicU64::new(0);
static INJECTED: AtomicU64 = AtomicU64::new(0);
static RECORDED: AtomicU64 = AtomicU64::new(0);
static MISSED: AtomicU64 = AtomicU64::new(0);

/// What was swept.
pub(crate) fn summary() -> String {
    let [tests, injected, recorded, missed] = [&TESTS, &INJECTED, &RECORDED, &MISSED].map(|count| count.load(Relaxed));
    format!("sweep: {tests} tests, {injected} of {recorded} calls failed in turn, {missed} not reached")
}

/// The calls without which a context cannot be made current: what is to be freed or destroyed just then is leaked.
const BIND: [&str; 2] = ["cuCtxGetCurrent", "cuCtxSetCurrent"];

/// The calls that free: what one that fails was to free is leaked.
const FREE: [&str; 3] = ["cuMemFree_v2", "cuMemFreeAsync", "cuMemFreeHost"];

/// Fails each call of a test in turn.
pub(crate) fn every_call(name: &str, body: Body) -> Result<(), Failed> {
    let clean = run(body, None, true);
    if let Some(failure) = clean.error.as_ref().or(clean.panic.as_ref()) {
        return Err(format!("without a fault: {failure}").into());
    }
    if !clean.violations.is_empty() || !clean.drop_errors.is_empty() {
        return Err(format!("without a fault: {:?} {}", clean.drop_errors, said(&clean.violations)).into());
    }
    let recorded: Vec<_> = clean.calls.iter().flat_map(|(entry, count)| (1..=*count).map(|n| (*entry, n))).collect();
    let chosen = choose(name, &clean.calls, &recorded);
    let closes = clean.count(PAIRS[0].0) == clean.count(PAIRS[0].1);
    let mut injected = 0;
    let mut problems = Vec::new();
    for &(entry, n) in &chosen {
        let fault = Fault::nth(entry, n, status_of(entry, n));
        // Threads that run beside each other make more calls of a kind in one run than in another.
        let faulty = (0..20).map(|_| run(body, Some(&fault), closes)).find(|run| !run.failures.is_empty());
        let Some(faulty) = faulty else {
            MISSED.fetch_add(1, Relaxed);
            if is_in_order(name) {
                problems.push(format!("call {n} of {entry} did not come"));
            }
            continue;
        };
        injected += 1;
        if let Err(problem) = check(&faulty, &clean, entry) {
            problems.push(format!("call {n} of {entry} failed: {problem}"));
        }
    }
    TESTS.fetch_add(1, Relaxed);
    INJECTED.fetch_add(injected, Relaxed);
    RECORDED.fetch_add(recorded.len() as u64, Relaxed);
    match problems.as_slice() {
        [] => Ok(()),
        [first, ..] => Err(format!("{} of {} calls:\n{}", problems.len(), chosen.len(), first).into()),
    }
}

fn said(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// A code for the `n`-th call, of an error that passes: one that is likely for it, one that no driver has, or one that
/// memcore acts on.
fn status_of(entry: &str, n: u64) -> Status {
    let allocates = ["cuMemAlloc", "cuMemHostAlloc", "cuMemPoolCreate", "cuStreamCreate", "cuEventCreate"];
    let allocates = allocates.iter().any(|start| entry.starts_with(start));
    let likely = if allocates { Status::OUT_OF_MEMORY } else { Status::UNKNOWN };
    [Status::OUT_OF_MEMORY, likely, Status(4242)][n as usize % 3]
}

/// Whether a test makes its calls in one order.
fn is_in_order(name: &str) -> bool {
    !["threads", "transfers"].iter().any(|module| name.contains(module))
}

/// All calls, or some by a seed: the first and the last of each driver function in any case.
fn choose(
    name: &str,
    counts: &BTreeMap<&'static str, u64>,
    recorded: &[(&'static str, u64)],
) -> Vec<(&'static str, u64)> {
    if recorded.len() <= SOME || env::var_os("MEMCORE_SWEEP").is_some_and(|value| value == "full") {
        return recorded.to_vec();
    }
    let mut seed = name
        .bytes()
        .fold(0xCBF2_9CE4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3));
    let mut chance = |of: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % of
    };
    let is_end = |(entry, n): &(&'static str, u64)| *n == 1 || *n == counts[entry];
    let (mut chosen, mut rest): (Vec<_>, Vec<_>) = recorded.iter().copied().partition(is_end);
    while chosen.len() < SOME && !rest.is_empty() {
        chosen.push(rest.swap_remove(chance(rest.len())));
    }
    chosen
}

/// What is made, and how it is destroyed; the context first.
const PAIRS: [(&str, &str); 4] = [
    ("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"),
    ("cuStreamCreateWithPriority", "cuStreamDestroy_v2"),
    ("cuMemPoolCreate", "cuMemPoolDestroy"),
    ("cuEventCreate", "cuEventDestroy_v2"),
];

/// What must hold after one call of `entry` failed.
fn check(run: &Run, clean: &Run, entry: &str) -> Result<(), String> {
    if let Some(panic) = &run.panic {
        return Err(format!("a panic: {panic}"));
    }
    if let Some(error) = run.error.as_ref().filter(|error| !error.contains(entry)) {
        return Err(format!("another error: {error}"));
    }
    if let Some(error) = run.drop_errors.iter().find(|error| !error.to_string().contains(entry)) {
        return Err(format!("a free failed for another reason: {error}"));
    }
    if let Some(violation) = run.violations.iter().find(|violation| violation.kind() != ViolationKind::Leak) {
        return Err(format!("a violation:\n{violation}"));
    }
    let leaks = run.violations.len();
    if leaks > usize::from(BIND.contains(&entry) || FREE.contains(&entry)) {
        return Err(format!("{leaks} leaks ({:?}, {:?}):\n{}", run.error, run.drop_errors, said(&run.violations)));
    }
    if leaks > 0 && run.error.is_none() && run.drop_errors.is_empty() {
        return Err(format!("a leak that nobody was told of:\n{}", said(&run.violations)));
    }
    for (make, destroy) in PAIRS {
        let closes = clean.count(make) == clean.count(destroy) && !BIND.contains(&entry);
        let (made, destroyed) = (run.count(make) - u64::from(make == entry), run.count(destroy));
        if closes && made != destroyed {
            return Err(format!("{made} calls of {make}, {destroyed} of {destroy}"));
        }
    }
    Ok(())
}
