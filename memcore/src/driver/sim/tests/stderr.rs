//! What a simulator writes to stderr.

use std::env;
use std::process::Command;
use std::sync::Arc;

use super::rig::{Program, call, ok};
use crate::driver::Driver;
use crate::driver::sim::{Sim, SimOptions};
use crate::error::Status;

/// Set in the process that makes the mistakes.
const CHILD: &str = "MEMCORE_TEST_STDERR_CHILD";

/// Frees the same memory twice.
fn free_twice(driver: Arc<dyn Driver>) {
    let program = Program::in_context(driver);
    let address = program.alloc(64);
    ok!(program, mem_free(address));
    assert_eq!(call!(program, mem_free(address)), Status::INVALID_VALUE);
}

#[test]
fn without_a_logger_only_the_process_wide_simulator_writes_to_stderr() {
    if env::var_os(CHILD).is_some() {
        free_twice(Sim::new(SimOptions::default()).driver());
        free_twice(crate::driver::default_driver().expect("the simulator"));
        return;
    }
    let (_, module) = module_path!().split_once("::").expect("a module of this crate");
    let test = format!("{module}::without_a_logger_only_the_process_wide_simulator_writes_to_stderr");
    let child = Command::new(env::current_exe().expect("this program"))
        .args([&test, "--exact", "--nocapture"])
        .env(CHILD, "1")
        .env("MEMCORE_DRIVER", "sim")
        .output()
        .expect("a child process");
    let stderr = String::from_utf8_lossy(&child.stderr);
    assert!(child.status.success(), "{stderr}");
    let report = "simulated device: double-free: cuMemFree_v2 of allocation #1, which was freed before\n";
    // One mistake of two, and how many there were when the process ends.
    assert_eq!(stderr.matches("simulated device: ").count(), 2, "{stderr}");
    assert!(stderr.contains("simulated device: the process ends\n[violations=1]\n"), "{stderr}");
    assert_eq!(stderr.matches(report).count(), 1, "{stderr}");
    assert!(stderr.contains("\n[kind=double_free op=mem_free alloc=1 offset=0 len=64]\n"), "{stderr}");
}
