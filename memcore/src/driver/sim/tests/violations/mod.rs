//! For every kind of violation a program that is wrong, whose report is the golden one, and its twin that is right, of which
//! nothing is reported.
//!
//! `GOLDEN=overwrite cargo test -p memcore --lib violations` writes the golden reports anew.

mod arrays;
mod contexts;
mod host;
mod memory;
mod races;
mod rows;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::super::{Order, SimOptions, Violation, ViolationKind};
use super::rig::Rig;

/// A mistake: the program that makes it, and the one that does not.
pub(super) struct Mistake {
    name: &'static str,
    kind: ViolationKind,
    bad: fn(&Rig),
    good: fn(&Rig),
}

/// Lists mistakes: the name of a module that holds `bad` and `good`, and the kind.
macro_rules! mistakes {
    ($($name:ident: $kind:ident,)*) => {
        pub(super) const MISTAKES: &[super::Mistake] = &[$(super::Mistake {
            name: stringify!($name),
            kind: crate::driver::sim::ViolationKind::$kind,
            bad: $name::bad,
            good: $name::good,
        }),*];
    };
}
use mistakes;

fn all() -> impl Iterator<Item = &'static Mistake> {
    let of_memory = [memory::MISTAKES, races::MISTAKES, host::MISTAKES, rows::MISTAKES, arrays::MISTAKES];
    of_memory.into_iter().chain([contexts::MISTAKES]).flatten()
}

fn run(program: fn(&Rig), order: Order) -> Vec<Violation> {
    let rig = Rig::new(SimOptions::default().devices(2).order(order));
    program(&rig);
    rig.check()
}

/// A report with each place as the source line that it names, so that it does not change with the lines above it.
fn normalised(violation: &Violation) -> String {
    let mut text = String::new();
    for line in violation.to_string().lines() {
        match line.split_once(".rs:") {
            Some((before, after)) => {
                let (key, path) = before.rsplit_once("  ").unwrap_or(("", before));
                let rest = after.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
                let number: usize = after.split(':').next().and_then(|number| number.parse().ok()).expect("a line");
                let path = format!("{path}.rs");
                let source =
                    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(&path)).expect("a source");
                let source = source.lines().nth(number - 1).expect("a line").trim();
                let _ = writeln!(text, "{key}  `{source}`{rest}");
            }
            None => drop(writeln!(text, "{line}")),
        }
    }
    text
}

#[test]
fn wrong_programs_are_told_what_is_wrong() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/driver/sim/tests/golden");
    let bless = std::env::var_os("GOLDEN").is_some_and(|value| value == "overwrite");
    for mistake in all() {
        let reports: Vec<_> = run(mistake.bad, Order::Lazy).iter().map(normalised).collect();
        let report = reports.join("\n");
        let file = golden.join(format!("{}.txt", mistake.name));
        if bless {
            fs::write(&file, &report).expect("a writable golden report");
        }
        let expected = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(report, expected, "{}: the golden report is another", mistake.name);
        assert!(report.contains(&format!("[kind={} ", mistake.kind)), "{}: {report}", mistake.name);
        assert_eq!(reports.len(), 1, "{}: told once, and nothing that follows from it", mistake.name);
    }
    let files: BTreeSet<_> =
        fs::read_dir(&golden).expect("the folder").map(|file| file.expect("a file").file_name()).collect();
    let named: BTreeSet<_> = all().map(|mistake| format!("{}.txt", mistake.name).into()).collect();
    assert_eq!(files, named);
}

#[test]
fn right_programs_are_told_nothing() {
    for mistake in all() {
        for order in [Order::Lazy, Order::Eager, Order::Random(1), Order::Random(2)] {
            let violations = run(mistake.good, order);
            assert!(violations.is_empty(), "{}, {order:?}: {}", mistake.name, violations[0]);
        }
    }
}

#[test]
fn what_does_not_depend_on_time_is_found_under_every_order() {
    for mistake in all() {
        for order in [Order::Eager, Order::Random(1), Order::Random(2)] {
            let kinds: Vec<_> = run(mistake.bad, order).iter().map(Violation::kind).collect();
            // What the host does to memory in flight shows where the operation has not run by then.
            let may_be_missed = mistake.kind == ViolationKind::HostInFlight;
            assert!(kinds == [mistake.kind] || (may_be_missed && kinds.is_empty()), "{}: {kinds:?}", mistake.name);
        }
    }
}

#[test]
fn every_kind_has_a_wrong_and_a_right_program() {
    for kind in ViolationKind::ALL {
        assert!(all().any(|mistake| mistake.kind == *kind), "no program makes the mistake {kind}");
    }
}
