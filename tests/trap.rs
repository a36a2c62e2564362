//! A program that takes a device address for a host's dies, and is told which memory it touched.

use std::env;
use std::process::Command;

use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};

const CHILD: &str = "MEMCORE_TEST_TRAP";

/// Touches device memory from the host, in a process of its own.
#[test]
fn child() {
    let Some(what) = env::var_os(CHILD) else { return };
    let sim = Sim::new(SimOptions::default());
    let context = Context::new(&sim.device(0).unwrap()).unwrap();
    let _entered = context.enter();
    let dev = device_vec![1_u8; 1000].unwrap();
    let address = dev.as_device_ptr().as_raw() as usize;
    let address = match what.to_str().unwrap() {
        "live" => address + 16,
        "freed" => {
            dev.try_free().unwrap();
            context.trim(0).unwrap();
            address + 16
        }
        _ => 8, // no device's at all
    };
    let byte = std::ptr::with_exposed_provenance::<u8>(address);
    // SAFETY: none: the access faults, which is the point.
    let byte = unsafe { byte.read_volatile() };
    unreachable!("{byte} was read");
}

/// What the child says on stderr, and the signal it died of.
fn run(what: &str) -> (String, Option<i32>) {
    use std::os::unix::process::ExitStatusExt;

    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "child", "--nocapture"])
        .env(CHILD, what)
        .output()
        .unwrap();
    (String::from_utf8_lossy(&output.stderr).into_owned(), output.status.signal())
}

#[test]
fn the_message_names_the_allocation() {
    let (text, signal) = run("live");
    assert_eq!(signal, Some(libc::SIGSEGV), "{text}");
    assert!(text.contains("simulated device: the host touched device memory, at 0x"), "{text}");
    assert!(text.contains("byte 16 of allocation #"), "{text}");
    assert!(text.contains("1000 bytes\n  allocated  tests/trap.rs:"), "{text}");
    assert!(!text.contains("  freed  "), "{text}");
}

#[test]
fn freed_memory_is_named_with_the_place_of_its_free() {
    let (text, signal) = run("freed");
    assert_eq!(signal, Some(libc::SIGSEGV), "{text}");
    assert!(text.contains("  freed      tests/trap.rs:"), "{text}");
}

#[test]
fn other_faults_are_not_its_business() {
    let (text, signal) = run("null");
    assert_eq!(signal, Some(libc::SIGSEGV), "{text}");
    assert!(!text.contains("simulated device"), "{text}");
}
