//! `#[memcore::test]`: tests that pass and tests that fail, each run by itself in a process of its own.

use std::env;
use std::process::{Command, Output};
use std::sync::OnceLock;

use memcore::prelude::*;
use memcore::sim::{Sim, SimOptions};
use memcore::{AllocatorKind, Error};

/// The tests that are run from below.
mod subjects {
    use super::*;

    #[memcore::test]
    #[ignore = "run from below"]
    fn passes() {
        let dev = device_vec![1u8, 2, 3].unwrap();
        assert_eq!(dev.to_vec().unwrap(), [1, 2, 3]);
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn returns_ok(context: &Context) -> Result<(), Error> {
        assert_eq!(*context, Context::current()?);
        assert_eq!(*context.device(), Device::new(0)?);
        assert_eq!(device_vec![in context; 7u32; 9]?.to_vec()?, [7; 9]);
        Ok(())
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn returns_what_terminates() -> impl std::process::Termination {
        std::process::ExitCode::SUCCESS
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn returns_a_code() -> std::process::ExitCode {
        std::process::ExitCode::from(3)
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn returns_an_error() -> Result<(), Error> {
        let dev = device_vec![1u8, 2, 3]?;
        let mut back = [0u8; 2];
        copy!(back <- dev)
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn returns_an_error_and_leaks() -> Result<(), Error> {
        std::mem::forget(device_vec![1u8, 2, 3]?);
        Err(Error::UnknownAddress { address: 0xab })
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn leaks() {
        std::mem::forget(device_vec![1u8, 2, 3].unwrap()); // line of the leak
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn leaks_into_a_static() {
        static KEPT: OnceLock<DeviceBuffer<u8>> = OnceLock::new();
        KEPT.set(device_vec![1u8, 2, 3].unwrap()).unwrap();
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn frees_twice() {
        let dev = device_vec![1u8, 2, 3].unwrap();
        let address = dev.as_device_ptr();
        drop(dev);
        // SAFETY: wrong on purpose: the simulated device refuses it.
        assert!(unsafe { memcore::memory::cuda_free(address) }.is_err());
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn panics() {
        let _dev = device_vec![1u8, 2, 3].unwrap();
        panic!("on purpose");
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn panics_and_leaks() {
        std::mem::forget(device_vec![1u8, 2, 3].unwrap());
        panic!("on purpose");
    }

    #[memcore::test]
    #[ignore = "run from below"]
    #[should_panic(expected = "on purpose")]
    fn should_panic_and_does() {
        let _dev = device_vec![1u8, 2, 3].unwrap();
        panic!("on purpose");
    }

    #[memcore::test]
    #[ignore = "run from below"]
    #[should_panic(expected = "on purpose")]
    fn should_panic_and_does_otherwise() {
        panic!("by mistake");
    }

    #[memcore::test]
    #[ignore = "run from below"]
    #[should_panic]
    fn should_panic_and_does_not() {}

    #[memcore::test]
    #[ignore = "run from below"]
    #[cfg_attr(all(), should_panic)]
    fn should_panic_and_leaks_instead() {
        std::mem::forget(device_vec![1u8, 2, 3].unwrap());
    }

    #[memcore::test]
    #[ignore = "run from below"]
    #[should_panic]
    fn should_panic_and_leaks_too() {
        std::mem::forget(device_vec![1u8, 2, 3].unwrap());
        panic!("on purpose");
    }

    #[memcore::test(order = "all")]
    #[ignore = "run from below"]
    fn passes_under_every_order() {
        waits(true);
    }

    #[memcore::test(order = "all")]
    #[ignore = "run from below"]
    fn fails_under_the_lazy_order() {
        waits(false);
    }

    #[memcore::test(order = "eager")]
    #[ignore = "run from below"]
    fn passes_under_the_eager_order() {
        // It is as wrong as the last: the bytes are there by luck.
        waits(false);
    }

    #[memcore::test(order = "all")]
    #[ignore = "run from below"]
    #[should_panic(expected = "on purpose")]
    fn should_panic_under_every_order() {
        panic!("on purpose");
    }

    #[memcore::test(order = "all")]
    #[ignore = "run from below"]
    #[should_panic(expected = "on purpose")]
    fn should_panic_under_every_order_and_does_not() {
        static RUNS: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let run = RUNS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        assert!(run == 2, "on purpose");
    }

    /// Reads what a stream writes, after a wait or without one.
    fn waits(is_right: bool) {
        let stream = Stream::new().unwrap();
        let source = locked_vec![5u8; 100].unwrap();
        let mut dev = device_vec![0u8; 100].unwrap();
        let mut back = locked_vec![0u8; 100].unwrap();
        // SAFETY: the buffers live until the stream has been waited for.
        unsafe { copy!(dev <- source, async stream) }.unwrap();
        // SAFETY: as above.
        unsafe { copy!(back <- dev, async stream) }.unwrap();
        if is_right {
            stream.synchronize().unwrap();
        }
        let seen = back[99];
        stream.synchronize().unwrap();
        assert_eq!(seen, 5, "the copy has not landed");
    }

    #[memcore::test(devices = 2, memory = 1 << 20, order = "random:7", without_pools)]
    #[ignore = "run from below"]
    fn has_the_machine_of_its_options(context: &Context) -> Result<(), Error> {
        assert_eq!((Device::count()?, Device::all()?.len()), (2, 2));
        assert_eq!(context.device().total_memory()?, 1 << 20);
        assert_ne!(context.allocator(), AllocatorKind::Pool);
        let other = Context::new(&Device::new(1)?)?;
        let source = device_vec![in context; 1u8, 2, 3]?;
        let mut destination = device_vec![in &other; 0u8; 3]?;
        copy!(destination <- source)?;
        assert_eq!(destination.to_vec()?, [1, 2, 3]);
        Ok(())
    }

    #[memcore::test(without_concurrent_managed_access)]
    #[ignore = "run from below"]
    fn has_no_unified_buffers() {
        assert!(UnifiedBuffer::<u8>::zeroed(4).is_err());
    }

    #[memcore::test(devices = 2)]
    #[ignore = "run from below"]
    fn has_the_environments_machine(context: &Context) -> Result<(), Error> {
        assert_eq!((Device::count()?, context.device().total_memory()?), (2, 12345));
        Ok(())
    }

    #[memcore::test(devices = 32)]
    #[ignore = "run from below"]
    fn has_32_devices() {
        assert_eq!(Device::count().unwrap(), 32);
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn starts_threads(context: &Context) {
        let dev = device_vec![1u8, 2, 3].unwrap();
        std::thread::scope(|threads| {
            threads.spawn(|| {
                let _entered = context.enter();
                let mut other = device_vec![0u8; 3].unwrap();
                copy!(other <- dev).unwrap();
                assert_eq!(other.to_vec().unwrap(), [1, 2, 3]);
            });
        });
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn leaks_in_a_thread(context: &Context) {
        let context = context.clone();
        let thread = std::thread::spawn(move || std::mem::forget(device_vec![in &context; 1u8; 3].unwrap()));
        thread.join().unwrap();
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn drops_transfers_in_flight() -> Result<(), Error> {
        let stream = Stream::new()?;
        for _ in 0..50 {
            let transfer = stream.upload(locked_vec![1u8; 100]?, device_vec![0u8; 100]?);
            drop(transfer.map_err(memcore::TransferError::into_error)?);
        }
        Ok(())
    }

    #[memcore::test]
    #[ignore = "run from below"]
    fn calls_another() {
        let dev = device_vec![1u8, 2, 3].unwrap();
        passes();
        assert_eq!(dev.to_vec().unwrap(), [1, 2, 3]);
        assert_eq!(Context::current().unwrap().device(), &Device::new(0).unwrap());
    }
}

/// Under another name, as a crate that renames its dependency has it.
mod renamed {
    use memcore as cuda;

    #[cuda::test(crate = "cuda", order = "lazy")]
    fn runs(context: &cuda::Context) -> cuda::Result<()> {
        cuda::DeviceBuffer::<u8>::zeroed_in(context, 4).map(drop)
    }
}

/// Written by a macro, with a name and a type that are the macro's.
mod generated {
    macro_rules! tests {
        ($($name:ident $type:ty;)*) => {
            $(
                #[memcore::test]
                fn $name(context: &::memcore::Context) {
                    let dev = memcore::DeviceBuffer::<$type>::zeroed_in(context, 4).unwrap();
                    assert_eq!(dev.len(), 4);
                }
            )*
        };
    }
    tests! {
        bytes u8;
        r#move u64;
    }
}

/// Runs one of the tests above.
fn run(name: &str, variables: &[(&str, &str)]) -> (Output, String) {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", &format!("subjects::{name}"), "--ignored"]);
    for (variable, _) in env::vars_os() {
        let of_memcore = variable.to_str().is_some_and(|name| name.starts_with("MEMCORE_"));
        if of_memcore || variable == "RUST_BACKTRACE" {
            command.env_remove(variable);
        }
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let said = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(said.contains("running 1 test\n"), "{name}: {output:?}");
    (output, said)
}

#[track_caller]
fn passes(name: &str) {
    let (output, said) = run(name, &[]);
    assert!(output.status.success(), "{name}: {said}");
}

/// The test fails, and says all that, in this order.
#[track_caller]
fn fails(name: &str, words: &[&str]) -> String {
    let (output, said) = run(name, &[]);
    assert!(!output.status.success(), "{name}: {said}");
    let mut rest = &*said;
    for word in words {
        let Some(at) = rest.find(word) else { panic!("{name}: {word:?} is not in {said}") };
        rest = &rest[at + word.len()..];
    }
    said
}

#[test]
fn what_is_right_passes() {
    passes("passes");
    passes("returns_ok");
    passes("returns_what_terminates");
    passes("drops_transfers_in_flight");
    passes("calls_another");
}

#[test]
fn what_the_body_says_fails() {
    let said = fails("panics", &["tests/test_attribute.rs", "on purpose"]);
    assert!(!said.contains("the simulated device"), "{said}");
    fails("returns_an_error", &["Error: lengths differ", "the test returned an error"]);
    fails("returns_a_code", &["the test returned an error"]);
}

#[test]
fn what_the_device_finds_fails() {
    let line = include_str!("test_attribute.rs").lines().position(|line| line.ends_with("// line of the leak"));
    let place = format!("tests/test_attribute.rs:{}:", line.unwrap() + 1);
    fails("leaks", &["the simulated device found a violation:", "leak: ", &place, "[kind=leak "]);
    fails("leaks_into_a_static", &["found a violation:", "[kind=leak "]);
    fails("leaks_in_a_thread", &["found a violation:", "[kind=leak "]);
    fails("frees_twice", &["found a violation:", "_free"]);
}

#[test]
fn the_bodys_own_failure_comes_first() {
    fails("panics_and_leaks", &["on purpose", "the simulated device found a violation:", "[kind=leak "]);
    let words = ["Error: address 0xab", "the test returned an error\nthe simulated device found", "[kind=leak "];
    fails("returns_an_error_and_leaks", &words);
}

#[test]
fn should_panic_means_the_body() {
    passes("should_panic_and_does");
    fails("should_panic_and_does_otherwise", &["by mistake", "panic did not contain expected string"]);
    fails("should_panic_and_does_not", &["did not panic as expected"]);
    fails("should_panic_and_leaks_instead", &["the test did not panic\n", "[kind=leak ", "did not panic as expected"]);
    fails("should_panic_and_leaks_too", &["on purpose", "the test panicked, and", "[kind=leak "]);
}

#[test]
fn every_order_is_tried() {
    passes("passes_under_every_order");
    passes("passes_under_the_eager_order");
    fails("fails_under_the_lazy_order", &["has not landed", "under order = \"lazy\""]);
    passes("should_panic_under_every_order");
    let words = ["the test did not panic under order = \"random:1\"", "did not panic as expected"];
    fails("should_panic_under_every_order_and_does_not", &words);
}

#[test]
fn the_attribute_wins_over_the_environment() {
    passes("has_the_machine_of_its_options");
    passes("has_no_unified_buffers");
    passes("has_32_devices");
    let variables = [("MEMCORE_SIM_DEVICES", "5"), ("MEMCORE_SIM_MEMORY", "12345"), ("MEMCORE_DRIVER", "sim")];
    let (output, said) = run("has_the_environments_machine", &variables);
    assert!(output.status.success(), "{said}");
}

#[test]
fn a_failure_names_the_calls_that_were_made_to_fail() {
    for (name, faults, expected) in [
        // Where the context is opened.
        ("passes", "nth:cuDevicePrimaryCtxRetain:1:2", "nth:cuDevicePrimaryCtxRetain:1:2\n"),
        // Where the body panics, and where it returns an error.
        ("passes", "random:1:1000:999:cuMemAllocFromPoolAsync", "nth:cuMemAllocFromPoolAsync:1:999"),
        ("returns_ok", "every:cuMemAllocFromPoolAsync:999", "nth:cuMemAllocFromPoolAsync:1:999"),
        // Where an owner has gone out of scope, and what it frees is left.
        ("passes", "nth:cuMemFreeAsync:1:700", "[kind=leak op=mem_alloc_async"),
        ("passes", "nth:cuMemFreeAsync:1:700", "nth:cuMemFreeAsync:1:700"),
        ("should_panic_and_does_not", "nth:cuDevicePrimaryCtxRetain:1:999", "nth:cuDevicePrimaryCtxRetain:1:999\n"),
    ] {
        let (output, said) = run(name, &[("MEMCORE_SIM_FAULTS", faults)]);
        assert!(!output.status.success() && said.contains(expected), "{name} {faults}: {said}");
    }
    // A call that is not made fails nothing.
    let (output, said) = run("passes", &[("MEMCORE_SIM_FAULTS", "nth:cuMemFreeAsync:1000:700")]);
    assert!(output.status.success() && !said.contains("made to fail"), "{said}");
    let (output, said) = run("panics", &[("MEMCORE_SIM_FAULTS", "nth:cuMemFreeAsync:1000:700")]);
    assert!(!output.status.success() && !said.contains("made to fail"), "{said}");
}

#[test]
fn wrong_variables_fail_every_test() {
    for (name, variable) in [
        ("passes", ("MEMCORE_SIM_ORDER", "latest")),
        ("passes", ("MEMCORE_SIM_DEVICES", "many")),
        ("passes", ("MEMCORE_DRIVER", "none")),
        ("passes", ("MEMCORE_SIM_FAULTS", "every:cuMemcpyHtoDAsync:1")),
        ("passes", ("MEMCORE_SIM_FAULTS", "random:1:1001")),
        ("should_panic_and_does", ("MEMCORE_DRIVER", "none")),
    ] {
        let (output, said) = run(name, &[variable]);
        let expected = format!("{}={:?} is not valid", variable.0, variable.1);
        assert!(!output.status.success() && said.contains(&expected), "{name}: {said}");
    }
    let (output, said) = run("passes", &[("MEMCORE_SIM_DEVICES", "0")]);
    assert!(!output.status.success() && said.contains("the simulated driver has no device"), "{said}");
}

#[test]
fn threads_enter_the_context() {
    passes("starts_threads");
}

#[test]
fn with_cuda_it_runs_on_the_gpu_or_not_at_all() {
    for name in ["passes", "returns_ok", "starts_threads", "calls_another"] {
        let (output, said) = run(name, &[("MEMCORE_DRIVER", "cuda")]);
        let there_is_none = said.contains("no CUDA driver was found") || said.contains("the CUDA driver has no device");
        assert!(output.status.success() != there_is_none, "{name}: {said}");
    }
}

#[test]
fn other_tests_have_the_processes_device() {
    // This one runs beside tests that have machines of their own.
    let sim = Sim::new(SimOptions::default());
    assert_ne!(sim.device(0).unwrap(), Device::new(0).unwrap());
    assert!(sim.finish().is_empty());
}
