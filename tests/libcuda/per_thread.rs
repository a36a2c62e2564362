//! The functions whose default stream is the thread's own.

use std::thread;

use crate::Case;
use crate::children::{of_case, said};
use crate::library::{Library, place, places};

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("per_thread::default_streams_are_not_ordered", not_ordered),
    ("per_thread::and_the_legacy_stream", legacy_stream),
];

pub(crate) const CASES: &[Case] = &[
    ("per_thread::race", race),
    ("per_thread::legacy_is_one", legacy_is_one),
    ("per_thread::one_thread", one_thread),
    ("per_thread::is_ordered_with_the_legacy", with_legacy),
];

const PER_THREAD: usize = 2;
const LEGACY: usize = 1;

/// What a child of this case says.
fn told(case: &str) -> String {
    let output = of_case(case).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    String::from_utf8(output.stderr).unwrap()
}

fn not_ordered() {
    let text = told("per_thread::race");
    assert!(text.contains("[kind=write_after_write ") && text.ends_with("[violations=1]\n"), "{text}");
    assert_eq!(told("per_thread::legacy_is_one"), "");
    assert_eq!(told("per_thread::one_thread"), "");
}

fn legacy_stream() {
    assert_eq!(told("per_thread::is_ordered_with_the_legacy"), "");
}

/// Memory of a context that is current.
fn begin(library: &Library) -> (usize, usize) {
    library.ok("cuInit", &[0]);
    let context = library.context();
    (context, library.made("cuMemAlloc_v2", &[64]))
}

/// Two threads set the same memory, each on its default stream.
fn two_threads(library: &Library, set: &str) {
    let (context, memory) = begin(library);
    thread::scope(|scope| {
        for value in [1, 2] {
            let one = scope.spawn(move || {
                library.ok("cuCtxSetCurrent", &[context]);
                library.ok(set, &[memory, value, 64, 0]);
            });
            one.join().unwrap();
        }
    });
    library.ok("cuCtxSynchronize", &[]);
}

fn race(library: &Library) {
    two_threads(library, "cuMemsetD8Async_ptsz");
}

fn legacy_is_one(library: &Library) {
    two_threads(library, "cuMemsetD8Async");
}

/// Null, the handle, and another function of that kind are one stream.
fn one_thread(library: &Library) {
    let (_, memory) = begin(library);
    library.ok("cuMemsetD8Async_ptsz", &[memory, 1, 64, 0]);
    library.ok("cuMemsetD8Async", &[memory, 2, 64, PER_THREAD]);
    library.ok("cuMemsetD8_v2_ptds", &[memory, 3, 64]);
    let mut host = [0_u8; 64];
    library.ok("cuMemcpyDtoH_v2_ptds", &[places(&mut host), memory, 64]);
    assert_eq!(host, [3; 64]);
    let (mut named, mut default, mut legacy) = (0_u64, 0_u64, 0_u64);
    library.ok("cuStreamGetId", &[PER_THREAD, place(&mut named)]);
    library.ok("cuStreamGetId_ptsz", &[0, place(&mut default)]);
    library.ok("cuStreamGetId_ptsz", &[LEGACY, place(&mut legacy)]);
    assert_eq!(named, default);
    assert_ne!(named, legacy);
}

fn with_legacy(library: &Library) {
    let (_, memory) = begin(library);
    library.ok("cuMemsetD8Async_ptsz", &[memory, 1, 64, 0]);
    library.ok("cuMemsetD8Async", &[memory, 2, 64, 0]);
    library.ok("cuMemsetD8Async_ptsz", &[memory, 3, 64, 0]);
    let mut host = [0_u8; 64];
    library.ok("cuMemcpyDtoH_v2", &[places(&mut host), memory, 64]);
    assert_eq!(host, [3; 64]);
}
