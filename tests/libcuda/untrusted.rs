//! Every function with arguments that no compiler has checked: it answers with a code.

use std::collections::BTreeMap;

use libtest_mimic::Trial;

use crate::children;
use crate::library::{Library, place, places};
use crate::symbols;

/// What a driver answers to parameters that are all zero.
const NULL_CODES: &str = include_str!("null_codes.txt");

/// A child calls so many functions.
const A_CHILD: usize = 12;

/// One test for each few functions, in a process of their own.
pub(crate) fn trials() -> Vec<Trial> {
    let null_codes = null_codes();
    let mut names = symbols::symbols_of(include_str!("../../memcore/src/driver/entry_points.rs"));
    names.extend(symbols::symbols_of(include_str!("../../memcore/src/driver/sim/libcuda/entry_points.rs")));
    assert!(names.iter().filter(|name| null_codes.contains_key(*name)).count() > 200, "the driver's codes are known");
    let mut all: Vec<String> = names.into_iter().map(str::to_owned).collect();
    all.extend(["cuGetErrorName", "cuGetErrorString", "cuGetProcAddress", "cuGetProcAddress_v2"].map(str::to_owned));
    let mut trials: Vec<_> = all.chunks(A_CHILD).map(|symbols| trial(symbols.join(" "))).collect();
    trials.push(Trial::test("untrusted::what_is_not_supported", || {
        let answered = children::succeeds("untrusted unsupported");
        answered.map_err(Into::into)
    }));
    trials
}

fn trial(symbols: String) -> Trial {
    let name = format!("untrusted::{}", symbols.split(' ').next().unwrap_or_default());
    Trial::test(name, move || children::succeeds(&format!("untrusted {symbols}")).map_err(Into::into))
}

/// By symbol, the codes without and with a context, where the driver gives one.
fn null_codes() -> BTreeMap<&'static str, [Option<u32>; 2]> {
    let lines = NULL_CODES.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let [name, without, with] = line.split(' ').collect::<Vec<_>>().try_into().unwrap();
            (name, [without, with].map(|code: &str| code.parse().ok()))
        })
        .collect()
}

/// Things that there are, in a context that is current.
struct Things {
    /// Room for whatever is written, and to be read.
    buffer: Vec<u64>,
    handles: Vec<usize>,
}

impl Things {
    fn new(library: &Library) -> Self {
        let context = library.context();
        let pointer = |symbol: &str, arguments: &[usize]| library.made(symbol, arguments);
        let (mut pool, mut stream) = (0_usize, 0_usize);
        library.ok("cuDeviceGetDefaultMemPool", &[place(&mut pool), 0]);
        library.ok("cuStreamCreate", &[place(&mut stream), 1]);
        // An array of 16 x 4 elements of 32 bits.
        let mut descriptor = [16_u64, 4, 3 | 1 << 32];
        let handles = vec![
            context,
            stream,
            pool,
            pointer("cuEventCreate", &[0]),
            pointer("cuMemAlloc_v2", &[4096]),
            pointer("cuMemAllocManaged", &[4096, 1]),
            pointer("cuMemHostAlloc", &[4096, 0]),
            pointer("cuArrayCreate_v2", &[places(&mut descriptor)]),
        ];
        Self { buffer: vec![0; 8192], handles }
    }
}

/// Pages that cannot be read, or not written, and what no address is.
fn bad_addresses() -> Vec<usize> {
    let map = |access| {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: an anonymous mapping at an address of the system's choosing.
        unsafe { libc::mmap(std::ptr::null_mut(), 4096, access, flags, -1, 0) }.expose_provenance()
    };
    let (closed, read_only) = (map(libc::PROT_NONE), map(libc::PROT_READ));
    vec![closed, read_only, read_only + 4092, 0x1234, 0xdead_beef_0000, 1 << 63, usize::MAX, usize::MAX - 7]
}

/// In a child: calls functions with all that may be wrong. What it says last is what it died of.
pub(crate) fn call_all(library: &Library, symbols: &str) {
    if symbols == "unsupported" {
        return call_unsupported(library);
    }
    for symbol in symbols.split(' ') {
        before_init(library, symbol);
    }
    library.ok("cuInit", &[0]);
    let null_codes = null_codes();
    for symbol in symbols.split(' ') {
        leave_contexts(library);
        let codes = null_codes.get(symbol).copied().unwrap_or([None; 2]);
        let without = library.call(symbol, &[]);
        library.context();
        let with = library.call(symbol, &[]);
        leave_contexts(library);
        for (code, of_driver) in [without, with].into_iter().zip(codes) {
            // Where a driver ends the process any code will do.
            assert_eq!(code, of_driver.unwrap_or(code), "{symbol} with zeros, where a driver says {codes:?}");
        }
        garbage(library, symbol);
    }
}

/// Ends the contexts of this thread, and what a call has begun in them (a capture).
fn leave_contexts(library: &Library) {
    while library.current() != 0 {
        let context = library.made("cuCtxPopCurrent_v2", &[]);
        // A primary one, or one that a call has ended.
        library.call("cuCtxDestroy_v2", &[context]);
    }
}

/// Before the driver is initialised a function answers so, unless it needs none.
fn before_init(library: &Library, symbol: &str) {
    const NOT_INITIALIZED: u32 = 3;

    let needs_none = ["cuDriverGetVersion", "cuInit", "cuGetErrorName", "cuGetErrorString"].contains(&symbol)
        || symbol.starts_with("cuGetProcAddress");
    let code = library.call(symbol, &[usize::MAX; 10]);
    assert!(needs_none || code == NOT_INITIALIZED || code == 1, "{symbol}: {code}");
}

fn garbage(library: &Library, symbol: &str) {
    let mut things = Things::new(library);
    let bad = bad_addresses();
    let good: Vec<_> = things.handles.iter().copied().chain([places(&mut things.buffer)]).collect();
    let small = [1, 2, 3, 7, 64];
    let alike: Vec<_> = bad.iter().chain(&good).chain(&small).copied().collect();
    for word in &alike {
        println!("{symbol} of {word:#x} throughout");
        library.call(symbol, &[*word; 10]);
    }
    // A good one in each place, the rest wrong; and a wrong one in each place, the rest good.
    for at in 0..8 {
        for one in &good {
            for other in bad.iter().chain(&[0, 64]) {
                println!("{symbol} of {one:#x} at {at} of {other:#x}");
                let mut words = [*other; 10];
                words[at] = *one;
                library.call(symbol, &words);
                words = [*one; 10];
                words[at] = *other;
                library.call(symbol, &words);
            }
        }
    }
    // As a program would call it, with one thing wrong: handles and addresses in turn.
    for round in 0..512_usize {
        let mut words = [0; 10];
        for (at, word) in words.iter_mut().enumerate() {
            *word = alike[(round * 7 + at * (1 + round % 5) * 3) % alike.len()];
        }
        println!("{symbol} of {words:x?}");
        library.call(symbol, &words);
    }
}

/// What there is none of says so, whatever it is called with.
fn call_unsupported(library: &Library) {
    const NOT_SUPPORTED: u32 = 801;

    let supported: Vec<_> = null_codes().into_keys().collect();
    let symbols = symbols::unsupported();
    assert!(symbols.len() > 400, "{}", symbols.len());
    for symbol in symbols {
        assert!(!supported.contains(&symbol), "{symbol}");
        for word in [0, 1, usize::MAX] {
            assert_eq!(library.call(symbol, &[word; 12]), NOT_SUPPORTED, "{symbol}");
        }
    }
}
