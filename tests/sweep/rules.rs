//! What must hold of a run.

use std::time::Duration;

use libtest_mimic::Failed;
use memcore::Error;
use memcore::sim::{Violation, ViolationKind};

use crate::check::NOT_SAID;
use crate::run::Run;

/// The calls without which a context cannot be made current: what is to be freed or destroyed just then is leaked.
const BIND: [&str; 2] = ["cuCtxGetCurrent", "cuCtxSetCurrent"];

/// The calls that free: what one that fails was to free is leaked.
const FREE: [&str; 5] = ["cuMemFree_v2", "cuMemFreeAsync", "cuMemFreeHost", "cuMemHostUnregister", "cuArrayDestroy"];

/// What is made, and how it is destroyed.
const PAIRS: [(&str, &str); 4] = [
    ("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease_v2"),
    ("cuStreamCreateWithPriority", "cuStreamDestroy_v2"),
    ("cuMemPoolCreate", "cuMemPoolDestroy"),
    ("cuEventCreate", "cuEventDestroy_v2"),
];

/// How long is waited for what may never come.
pub(crate) const SHORT: Duration = Duration::from_millis(100);

/// Longer than this nothing waits. What cannot be proved within 10 s is given up by a transfer, and within 60 by a scope.
pub(crate) const LONG: Duration = Duration::from_secs(8);

/// Whether a test has threads, or transfers, which a thread looks after: then its calls are not quite the same each time.
pub(crate) fn has_threads(name: &str) -> bool {
    ["threads", "transfers", "each_thread"].iter().any(|part| name.contains(part))
}

/// How long a run waits for what other threads destroy, and then for its contexts to be closed, when a call of `entry` fails.
pub(crate) fn patience(clean: &Run, entry: &str) -> (Duration, Duration) {
    // What no context can be made current for is never destroyed; nor is what failed to be made.
    let is_made = PAIRS.iter().any(|(make, _)| *make == entry);
    let destroyed = if BIND.contains(&entry) || is_made { SHORT } else { LONG };
    (destroyed, if closes(clean) { destroyed } else { Duration::ZERO })
}

/// Whether a run has closed its contexts. Memory that is taken apart keeps them open.
fn closes(run: &Run) -> bool {
    run.count(PAIRS[0].0) == run.count(PAIRS[0].1)
}

/// What must hold before anything is made to fail.
pub(crate) fn without_a_fault(run: &Run) -> Result<(), Failed> {
    let failure = run.error.clone().or(run.panic.clone());
    let drop_error = run.drop_errors.first().map(ToString::to_string);
    match failure.or(drop_error).or(run.violations.first().map(ToString::to_string)) {
        None => Ok(()),
        Some(failure) => Err(format!("without a fault: {failure}").into()),
    }
}

/// What must hold whatever happened.
fn after_anything(run: &Run) -> Result<(), String> {
    if let Some(panic) = &run.panic {
        return Err(format!("a panic: {panic}"));
    }
    if let Some(violation) = run.violations.iter().find(|violation| violation.kind() != ViolationKind::Leak) {
        return Err(format!("a violation:\n{violation}"));
    }
    if !run.violations.is_empty() && run.error.is_none() && run.drop_errors.is_empty() {
        return Err(format!("a leak that nobody was told of:\n{}", said(&run.violations)));
    }
    if run.took > LONG {
        return Err(format!("it took {:?}", run.took));
    }
    Ok(())
}

/// What must hold after one call of `entry` failed.
pub(crate) fn after_a_failure(run: &Run, clean: &Run, entry: &str) -> Result<(), String> {
    after_anything(run)?;
    let mut errors = run.error.iter().cloned().chain(run.drop_errors.iter().map(ToString::to_string));
    if let Some(error) = errors.find(|error| !error.contains(entry)) {
        return Err(format!("another error: {error}"));
    }
    let most = usize::from(BIND.contains(&entry) || FREE.contains(&entry));
    if run.violations.len() > most {
        return Err(format!("{:?}, {:?}, leaks:\n{}", run.error, run.drop_errors, said(&run.violations)));
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

/// What must hold after some calls failed.
pub(crate) fn after_some_failures(run: &Run, _: &Run, _: &str) -> Result<(), String> {
    after_anything(run)?;
    let is_told = |error: &&String| error.contains("(999)") || **error == *NOT_SAID;
    let errors: Vec<_> = run.error.iter().cloned().chain(run.drop_errors.iter().map(ToString::to_string)).collect();
    match errors.iter().find(|error| !is_told(error)) {
        None => Ok(()),
        Some(error) => Err(format!("another error: {error}")),
    }
}

/// Where a context may die without an abort by design (`docs/async.md`, 9 and 10): not where host memory, or in this
/// process, which has unified memory, any memory is written by work whose ticket is refused.
pub(crate) fn may_die(test: &str, entry: &str) -> bool {
    // Between the first operation of a scope and its end there is no ticket; other threads may be there any time.
    let is_without_ticket =
        ["::scope", "::temporaries", "::threads", "one_scope_with_both", "is_lent_to_a_scope", "in_a_scope"];
    // Nor where memory is registered that has to be given back.
    if test.contains("registered::lent") || test.contains("overlapping_registrations") {
        return false;
    }
    // Of these transfers some are beside a scope.
    let has_scope = ["pageable_downloads_are_right", "a_source_may_change"];
    let is_skipped = is_without_ticket.iter().chain(&has_scope).any(|part| test.contains(part));
    // A fill or move of unified memory that is several calls may be refused half-way.
    let several = ["the_device_writes_what_the_host_reads", "moves_of_unified_memory"];
    let is_half_way = several.iter().any(|part| test.contains(part)) && entry == "cuMemcpyDtoDAsync_v2";
    // Else the ticket itself is refused.
    !is_skipped && !is_half_way && entry != "cuStreamWriteValue32_v2"
}

/// What must hold after the context has died.
pub(crate) fn after_a_death(run: &Run, _: &Run, _: &str) -> Result<(), String> {
    after_anything(run)?;
    let unsettled = Error::Unsettled.to_string();
    let is_told = |error: &&String| error.contains("(700)") || [&*unsettled, NOT_SAID].contains(&error.as_str());
    let errors: Vec<_> = run.error.iter().cloned().chain(run.drop_errors.iter().map(ToString::to_string)).collect();
    match errors.iter().find(|error| !is_told(error)) {
        None => Ok(()),
        Some(error) => Err(format!("another error: {error}")),
    }
}

fn said(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
