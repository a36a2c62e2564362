//! Calls that fail at random: one seed is one choice of calls, and the seed can always be found again.

use std::env;
use std::process::Command;

use memcore::prelude::*;
use memcore::sim::{Fault, Sim, SimOptions, ViolationKind};
use memcore::{Result, Status};

/// What a program of many calls came to, and which of its calls failed.
fn run(fault: Fault) -> (Vec<Result<()>>, Vec<Fault>) {
    let sim = Sim::new(SimOptions::default().fail(fault));
    let open = || Context::new(&sim.device(0)?);
    let context = std::iter::repeat_with(open).find_map(Result::ok).unwrap();
    let job = || {
        let mut dev = device_vec![in &context; 1_u8; 10]?;
        copy!(dev <- locked_vec![in &context; 2_u8; 10]?)?;
        assert_eq!(dev.to_vec()?, [2; 10]);
        Ok(())
    };
    let results = (0..50).map(|_| job()).collect();
    (results, sim.failures())
}

#[test]
fn a_seed_is_a_choice_of_calls() {
    let some = |seed| Fault::random(seed, 20, Status::UNKNOWN);
    let (results, failures) = run(some(1));
    assert!(!failures.is_empty() && results.iter().any(Result::is_ok));
    assert!(
        results.iter().flat_map(|result| result.as_ref().err()).all(|error| error.status() == Some(Status::UNKNOWN))
    );
    assert_eq!(run(some(1)), (results.clone(), failures.clone()));
    assert_ne!(run(some(2)).1, failures);
    // Each is one that can be injected by itself.
    let first = failures[0].clone();
    assert_eq!(run(first.clone()).1, [first]);
}

#[test]
fn none_and_all() {
    let (results, failures) = run(Fault::random(1, 0, Status::UNKNOWN));
    assert!(failures.is_empty() && results.iter().all(Result::is_ok));
    assert!(run(Fault::random_of([], 1, 1000, Status::UNKNOWN)).1.is_empty());
    let (results, failures) = run(Fault::random_of(["cuMemHostAlloc"], 1, 1000, Status::OUT_OF_MEMORY));
    assert!(results.iter().all(Result::is_err));
    assert!(
        failures.iter().zip(1..).all(|(fault, n)| *fault == Fault::nth("cuMemHostAlloc", n, Status::OUT_OF_MEMORY))
    );
}

#[test]
fn only_what_is_listed() {
    let entries = ["cuStreamSynchronize", "cuMemHostAlloc"];
    let (_, failures) = run(Fault::random_of(entries, 3, 300, Status::UNKNOWN));
    let of = |entry: &str| failures.iter().filter(|fault| fault.to_string().contains(entry)).count();
    assert!(of(entries[0]) > 0 && of(entries[1]) > 0);
    assert_eq!(of(entries[0]) + of(entries[1]), failures.len());
}

#[test]
fn the_seed_is_in_reports_and_debug() {
    let fault = Fault::random_of(["cuMemFreeAsync"], 42, 1000, Status(4242));
    let sim = Sim::new(SimOptions::default().fail(fault));
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    assert!(!format!("{sim:?}").contains("cuMemFreeAsync\"], when: Nth"));
    drop(device_vec![in &context; 1_u8; 10].unwrap());
    let shown = format!("{sim:?}");
    assert!(shown.contains("seed: 42") && shown.contains("Nth(1)"), "{shown}");
    let violations = sim.finish();
    assert_eq!(violations[0].kind(), ViolationKind::Leak);
    let report = violations[0].to_string();
    assert!(report.contains("MEMCORE_SIM_FAULTS=random:42:1000:4242:cuMemFreeAsync\n"), "{report}");
    assert!(report.ends_with(" faults=random:42:1000:4242:cuMemFreeAsync]"), "{report}");
}

#[test]
fn a_report_without_random_faults_names_none() {
    let sim = Sim::new(SimOptions::default().fail(Fault::nth("cuMemFreeAsync", 1, Status(4242))));
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    drop(device_vec![in &context; 1_u8; 10].unwrap());
    assert!(!sim.finish()[0].to_string().contains("faults="));
}

/// Names the program that a child process is to run.
const CHILD: &str = "MEMCORE_TEST_CHILD";

/// What a program says on stderr in a process with these variables.
fn said_with(variables: &[(&str, &str)]) -> String {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "by_the_environment", "--nocapture"]).env(CHILD, "1").env("MEMCORE_DRIVER", "sim");
    let output = command.envs(variables.iter().copied()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
#[allow(clippy::print_stderr, reason = "the child process says what it got")]
fn by_the_environment() {
    if env::var_os(CHILD).is_some() {
        let job = || {
            let context = Context::current()?;
            device_vec![1_u8; 10]?.try_free().map_err(|(error, _)| error)?;
            eprintln!("done: {:?}", context.allocator());
            unified_vec![1_u8; 10].map(drop)
        };
        if let Err(error) = job() {
            eprintln!("failed: {error}");
        }
        return;
    }
    let expect = |variables: &[(&str, &str)], words: &[&str]| {
        let said = said_with(variables);
        assert!(words.iter().all(|word| said.contains(word)), "{variables:?}: {said}");
    };
    assert_eq!(said_with(&[]), "done: Pool\n");
    let all = [("MEMCORE_SIM_FAULTS", "random:7:1000")];
    expect(&all, &["simulated device: a call of cuInit fails", "MEMCORE_SIM_FAULTS=random:7:1000:999\n", "failed: "]);
    expect(&[("MEMCORE_SIM_FAULTS", "random:7:1000:2:cuMemFreeAsync")], &["failed: cuMemFreeAsync", "memory"]);
    expect(&[("MEMCORE_SIM_FAULTS", "nth:cuStreamSynchronize:1:4242")], &["failed: cuStreamSynchronize", "4242"]);
    expect(&[("MEMCORE_SIM_FAULTS", "every:cuMemAllocFromPoolAsync:4242, nth:cuInit:9")], &["failed: cuMemAllocFrom"]);
    expect(&[("MEMCORE_SIM_FAULTS", "sticky:cuMemFreeAsync:1:700")], &["failed: cuMemFreeAsync", "700"]);
    expect(&[("MEMCORE_SIM_FAULTS", "deinitialized:cuMemAllocFromPoolAsync:1")], &["failed: ", "shutting down"]);
    expect(&[("MEMCORE_SIM_WITHOUT", "pools")], &["done: Direct"]);
    expect(&[("MEMCORE_SIM_WITHOUT", "managed")], &["failed: ", "not supported"]);
    expect(&[("MEMCORE_SIM_WITHOUT", "concurrent_managed_access")], &["failed: ", "not supported"]);
    expect(&[("MEMCORE_SIM_WITHOUT", "pools, cuMemAlloc_v2")], &["failed: ", "no function cuMemAlloc_v2"]);
    for wrong in ["random", "random:7", "random:x:1", "nth:cuMemAlloc:1", "often:cuInit", "", "nth:cuInit:1:2:3"] {
        expect(&[("MEMCORE_SIM_FAULTS", wrong)], &["MEMCORE_SIM_FAULTS=", "random:SEED:PER_MILLE"]);
    }
    for wrong in ["", "pool", "cuMemAlloc", "pools,"] {
        expect(&[("MEMCORE_SIM_WITHOUT", wrong)], &["MEMCORE_SIM_WITHOUT=", "with commas between"]);
    }
}
