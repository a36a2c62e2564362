//! The timeline that `MEMCORE_TRACE` asks for: of an example, and of programs that end without a word.

#[path = "support/example.rs"]
mod example;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use memcore::prelude::*;
use serde_json::Value;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/earthquakes.bin");

/// Names the program that a child process is to run.
const CHILD: &str = "MEMCORE_TEST_CHILD";

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

/// A complete event.
struct Event {
    row: (u64, u64),
    name: String,
    start: f64,
    end: f64,
    args: Value,
}

/// A trace: complete events in the order of the file, and the names of groups (row 0) and rows.
struct Trace {
    events: Vec<Event>,
    names: BTreeMap<(u64, u64), String>,
}

impl Trace {
    fn read(path: &Path) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let all: Vec<Value> = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let mut trace = Self { events: Vec::new(), names: BTreeMap::new() };
        for event in all {
            let number = |key: &str| event[key].as_f64().unwrap_or_else(|| panic!("{key} of {event}"));
            let row = (event["pid"].as_u64().unwrap(), event["tid"].as_u64().unwrap());
            match event["ph"].as_str() {
                Some("M") => {
                    let is_group = event["name"] == "process_name";
                    assert!(is_group == (row.1 == 0) && (is_group || event["name"] == "thread_name"), "{event}");
                    let twice = trace.names.insert(row, event["args"]["name"].as_str().unwrap().to_owned());
                    assert_eq!(twice, None, "{event}");
                }
                Some("X") => {
                    let (start, length) = (number("ts"), number("dur"));
                    assert!(start >= 0.0 && length >= 0.0, "{event}");
                    let args = event["args"].clone();
                    assert!(args["at"].as_str().is_some_and(|place| place.contains(".rs:")), "{event}");
                    let name = event["name"].as_str().unwrap().to_owned();
                    trace.events.push(Event { row, name, start, end: start + length, args });
                }
                _ => panic!("{event}"),
            }
        }
        trace
    }

    /// The events of the device's rows, by row.
    fn streams(&self) -> BTreeMap<(u64, u64), Vec<&Event>> {
        let mut rows: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for event in self.events.iter().filter(|event| event.row.0 > 1) {
            rows.entry(event.row).or_default().push(event);
        }
        rows
    }
}

#[test]
fn an_example_has_rows_of_its_thread_and_its_streams() {
    let file = path("trace-example.json");
    let mut example = Command::new(example::built("03_overlap"));
    let output = example.arg(DATA).env("MEMCORE_DRIVER", "sim").env("MEMCORE_TRACE", &file).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let trace = Trace::read(&file);
    assert_eq!(trace.names[&(1, 0)], "host threads");
    assert_eq!(trace.names[&(2, 0)], "device 0");
    for event in &trace.events {
        assert!(trace.names.contains_key(&event.row), "{}: row {:?} has no name", event.name, event.row);
    }

    // Every call of the one thread, with what it was given and what came of it; one after the other.
    let host: Vec<_> = trace.events.iter().filter(|event| event.row.0 == 1).collect();
    assert!(host.iter().all(|event| event.row == host[0].row));
    assert_eq!(trace.names[&host[0].row], "main");
    assert!(host.iter().all(|event| event.name.starts_with("cu") && event.args["status"].is_string()));
    assert_eq!(host[0].name, "cuInit");
    assert!(host.windows(2).all(|pair| pair[0].end <= pair[1].start + 0.002));

    // What the streams did, one after the other, and after it was asked for.
    let streams = trace.streams();
    assert!(streams.len() >= 4, "three streams, and those of the copies that wait: {}", streams.len());
    for (row, events) in &streams {
        assert!(trace.names[row].starts_with("stream 0x"), "{}", trace.names[row]);
        assert!(events.windows(2).all(|pair| pair[0].end <= pair[1].start + 0.002), "row {row:?}");
    }
    let waits = host.iter().filter(|event| event.name == "cuStreamSynchronize");
    for wait in waits {
        assert!(wait.args["at"].as_str().unwrap().starts_with("examples/03_overlap.rs:"), "{}", wait.args);
    }
    let device = || streams.values().flatten().copied();
    for (kind, call) in [
        ("copy HtoD", "cuMemcpyHtoDAsync_v2"),
        ("copy DtoD", "cuMemcpyDtoDAsync_v2"),
        ("copy DtoH", "cuMemcpyDtoHAsync_v2"),
        ("set", "cuMemsetD8Async"),
    ] {
        let work: Vec<_> = device().filter(|event| event.name == kind).collect();
        let calls: Vec<_> = host.iter().filter(|event| event.name == call).collect();
        // Two runs of either kind, eight chunks each; and as much as the calls asked for.
        assert!(work.len() >= 32 && work.len() == calls.len(), "{kind}: {} of {}", work.len(), calls.len());
        let bytes = |event: &Event| event.args["bytes"].as_u64().unwrap();
        let of_work: u64 = work.iter().map(|event| bytes(event)).sum();
        assert_eq!(of_work, calls.iter().map(|event| bytes(event)).sum::<u64>());
        for call in calls {
            assert!(call.args["stream"].as_str().is_some_and(|stream| stream.starts_with("0x")));
            assert!(call.args["at"].as_str().unwrap().starts_with("examples/03_overlap.rs:"), "{}", call.args);
        }
    }
}

/// Runs a function of `programs` in a child process.
fn child(name: &str, trace: &Path) -> Output {
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", "programs", "--nocapture"]).env(CHILD, name);
    command.env("MEMCORE_DRIVER", "sim").env("MEMCORE_TRACE", trace).output().unwrap()
}

#[test]
#[allow(clippy::print_stderr, reason = "the child process says what it got")]
fn programs() {
    match env::var(CHILD).as_deref() {
        Ok("aborts") => {
            let mut dev = device_vec![0u8; 1000].unwrap();
            copy!(dev <- [1; 1000]).unwrap();
            std::process::abort();
        }
        Ok("threads") => {
            let work = |_| {
                for _ in 0..20 {
                    let dev = device_vec![0u8; 1000].unwrap();
                    assert_eq!(dev.to_vec().unwrap(), [0; 1000]);
                }
            };
            std::thread::scope(|threads| {
                for number in 0..4 {
                    let thread = std::thread::Builder::new().name(format!("worker {number}"));
                    thread.spawn_scoped(threads, move || work(number)).unwrap();
                }
            });
        }
        Ok("allocates") => {
            let context = Context::current().unwrap();
            let pool = MemoryPool::new_in(&context, PoolOptions::default()).unwrap();
            for _ in 0..3 {
                let (zeroed, wide) =
                    (device_vec![0u8; 1 << 20].unwrap(), device_vec![0x0102_0304_0506_0708_u64; 100].unwrap());
                let of_pool = device_vec![in &pool; 7u32; 1000].unwrap();
                let copied = DeviceBuffer::from_slice(&[1u8, 2, 3]).unwrap();
                assert_eq!(zeroed.to_vec().unwrap(), [0; 1 << 20]);
                assert_eq!(wide.to_vec().unwrap(), [0x0102_0304_0506_0708; 100]);
                assert_eq!(of_pool.to_vec().unwrap(), [7; 1000]);
                assert_eq!(copied.to_vec().unwrap(), [1, 2, 3]);
            }
            context.trim(0).unwrap();
        }
        Ok("opens") => match Context::current() {
            Ok(context) => eprintln!("{:?}", context.device()),
            Err(error) => eprintln!("{error}"),
        },
        _ => {}
    }
}

#[test]
fn a_process_that_aborts_leaves_a_whole_file() {
    let file = path("trace-aborts.json");
    // As long as what was there before: none of it may be left.
    fs::write(&file, "x".repeat(1 << 20)).unwrap();
    let output = child("aborts", &file);
    assert!(!output.status.success());
    let trace = Trace::read(&file);
    let copy = trace.streams().into_values().flatten().any(|event| event.args["bytes"] == 1000);
    assert!(copy);
}

#[test]
fn each_thread_has_a_row() {
    let file = path("trace-threads-%p.json");
    let output = child("threads", &file);
    assert!(output.status.success(), "{output:?}");
    // The name has the number of the process.
    let written: Vec<_> = fs::read_dir(file.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("trace-threads-"))
        .collect();
    let [written] = &written[..] else { panic!("{written:?}") };
    let trace = Trace::read(written);
    fs::remove_file(written).unwrap();
    for number in 0..4 {
        let name = format!("worker {number}");
        let (row, _) = trace.names.iter().find(|(_, of)| **of == name).unwrap();
        let calls = trace.events.iter().filter(|event| event.row == *row).count();
        assert!(row.0 == 1 && calls > 100, "{name}: {calls} calls");
    }
    for (row, events) in trace.streams() {
        assert!(events.windows(2).all(|pair| pair[0].end <= pair[1].start + 0.002), "row {row:?}");
    }
}

/// An allocation waits for one stream, on which nothing but allocations and frees is ever queued: never for what another
/// thread writes into new memory.
#[test]
fn allocations_have_a_stream_without_other_work() {
    let file = path("trace-allocates.json");
    let output = child("allocates", &file);
    assert!(output.status.success(), "{output:?}");
    let trace = Trace::read(&file);
    let stream = |event: &Event| event.args["stream"].as_str().map(str::to_owned);
    let of_stream = |wanted: &str| -> BTreeMap<String, usize> {
        let mut calls = BTreeMap::new();
        for event in trace.events.iter().filter(|event| event.row.0 == 1 && stream(event).as_deref() == Some(wanted)) {
            *calls.entry(event.name.clone()).or_default() += 1;
        }
        calls
    };
    let first = trace.events.iter().find(|event| event.name == "cuMemAllocFromPoolAsync").unwrap();
    let allocator = of_stream(&stream(first).unwrap());
    // Four allocations a round, each with its wait; and that of the trim.
    let expected = [("cuMemAllocFromPoolAsync", 12), ("cuMemFreeAsync", 12), ("cuStreamSynchronize", 13)];
    assert_eq!(allocator, expected.map(|(name, count)| (name.to_owned(), count)).into());
    let set = trace.events.iter().find(|event| event.name == "cuMemsetD8Async").unwrap();
    let others = of_stream(&stream(set).unwrap());
    // The zeros and the pool's 7s, the seed of the wide value and three bytes, and what doubles the seed.
    assert_eq!((others["cuMemsetD8Async"], others["cuMemsetD32Async"], others["cuMemcpyHtoDAsync_v2"]), (3, 3, 6));
    assert!(others["cuMemcpyDtoDAsync_v2"] == 21 && !others.contains_key("cuMemFreeAsync"), "{others:?}");
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_that_says_so() {
    for (file, expected) in [
        ("", "in a folder that exists"),
        ("/no/such/folder/trace.json", "in a folder that exists"),
        (env!("CARGO_TARGET_TMPDIR"), "a file, and no folder"),
        ("/dev/full", "a file that can be written"),
    ] {
        let output = child("opens", Path::new(file));
        let said = String::from_utf8(output.stderr).unwrap();
        let wanted = format!("MEMCORE_TRACE={file:?} is not valid: expected ");
        assert!(said.contains(&wanted) && said.contains(expected), "{said}");
    }
}
