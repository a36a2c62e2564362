//! The quickstart example, run as its users run it.

#[path = "support/example.rs"]
mod example;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/data/earthquakes.bin");

static QUICKSTART: LazyLock<PathBuf> = LazyLock::new(|| example::built("quickstart"));

fn quickstart(file: Option<&Path>) -> Command {
    let mut command = Command::new(&*QUICKSTART);
    command.args(file);
    command
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// A file of this test's own with these bytes.
fn file(name: &str, bytes: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).unwrap();
    path
}

/// The program's last words, of a run that must fail before it says anything else.
#[track_caller]
fn failure(output: &Output) -> &str {
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(1), ""), "{output:?}");
    text(&output.stderr).trim_end()
}

/// Runs it on a file that it must accept, and compares the checksum with the system's.
#[track_caller]
fn check(argument: Option<&Path>, path: &Path, records: usize) -> String {
    let output = quickstart(argument).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    let said = text(&output.stdout);
    let bytes = records * 32;
    assert!(said.contains(&format!(": {records} records, {bytes} bytes\n")), "{said}");
    assert_eq!(said.matches(&format!("verified  all {bytes} bytes")).count(), 2, "{said}");
    let cksum = Command::new("cksum").arg(path).output().unwrap();
    assert!(cksum.status.success(), "{cksum:?}");
    assert!(said.contains(&format!("\ncksum     {}", text(&cksum.stdout))), "{said}{cksum:?}");
    said.to_owned()
}

#[test]
fn the_data_set_comes_back_whole() {
    let said = check(None, Path::new(DATA), 1707);
    assert!(said.starts_with("driver    ") && said.contains("\ndevice    0: "), "{said}");
}

#[test]
fn it_says_that_the_device_is_simulated() {
    let output = quickstart(None).env("MEMCORE_DRIVER", "sim").output().unwrap();
    let said = text(&output.stdout);
    assert!(said.starts_with("driver    simulated"), "{said}");
}

#[test]
fn any_bytes_and_any_number_of_records_will_do() {
    // Among them are NaNs with bytes of their own, and numbers of bytes of one, two and three digits in base 256.
    for records in [1, 2, 3, 9, 2049] {
        let bytes: Vec<u8> = (0..records * 32).map(|at| (at * 167 % 251) as u8 | 0xc0).collect();
        let path = file(&format!("records-{records}.bin"), &bytes);
        check(Some(&path), &path, records);
    }
}

#[test]
fn files_that_hold_no_records_are_refused() {
    let missing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("no-such-file.bin");
    let empty = file("empty.bin", &[]);
    let data = fs::read(DATA).unwrap();
    let truncated = file("truncated.bin", &data[..data.len() - 1]);
    let less = file("less-than-one.bin", &data[..31]);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let no_records = "which is no whole number of records of 32 bytes";
    for (path, expected) in [
        (&*missing, format!("cannot read {}: No such file or directory (os error 2)", missing.display())),
        (&empty, format!("{} is empty", empty.display())),
        (&truncated, format!("{} has 54623 bytes, {no_records}", truncated.display())),
        (&less, format!("{} has 31 bytes, {no_records}", less.display())),
        (directory, format!("{} is not a regular file", directory.display())),
    ] {
        assert_eq!(failure(&quickstart(Some(path)).output().unwrap()), format!("quickstart: {expected}"));
    }
}

#[test]
fn without_a_driver_it_fails_and_says_how_to_go_on() {
    // With a file of this name that is no library, the system finds no other.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged-driver");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("libcuda.so.1"), "not a library").unwrap();
    let output = quickstart(None).env("MEMCORE_DRIVER", "cuda").env("LD_LIBRARY_PATH", &folder).output().unwrap();
    let said = failure(&output);
    assert!(said.starts_with("quickstart: no CUDA driver was found (tried libcuda.so.1: "), "{said}");
    assert!(said.contains("set MEMCORE_DRIVER=sim"), "{said}");
}
