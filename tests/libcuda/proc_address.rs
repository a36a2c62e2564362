//! `cuGetProcAddress`, of a driver of CUDA 13.0.

use std::ffi::CString;

use crate::Case;
use crate::library::{Library, place};
use crate::symbols::versions;

pub(crate) const CASES: &[Case] = &[
    ("proc_address::gives_each_version", each_version),
    ("proc_address::says_why_not", why_not),
    ("proc_address::the_first_of_it", the_first),
];

const FOUND: u32 = 0;
const NOT_FOUND: u32 = 1;
const TOO_OLD: u32 = 2;
/// What stands in an out parameter before.
const UNTOUCHED: u32 = 77;

/// The code, the function and the status.
fn ask(library: &Library, name: &str, version: i32, flags: usize) -> (u32, usize, u32) {
    let name = CString::new(name).unwrap();
    let (mut function, mut status) = (UNTOUCHED as usize, UNTOUCHED);
    let code = library.call(
        "cuGetProcAddress_v2",
        &[name.as_ptr().expose_provenance(), place(&mut function), version as usize, flags, place(&mut status)],
    );
    (code, function, status)
}

fn each_version(library: &Library) {
    let all = versions();
    assert!(all.len() > 1000, "{}", all.len());
    for (index, (name, since, flags, symbol)) in all.iter().enumerate() {
        assert_eq!(
            ask(library, name, *since, *flags),
            (0, library.address(symbol), FOUND),
            "{name} of {since}, flags {flags}: {symbol}"
        );
        let is_first = index == 0 || (all[index - 1].0, all[index - 1].2) != (*name, *flags);
        if is_first {
            assert_eq!(ask(library, name, since - 10, *flags), (0, 0, TOO_OLD), "{name} before {since}");
        }
        let is_last = all.get(index + 1).is_none_or(|next| (next.0, next.2) != (*name, *flags));
        if is_last {
            assert_eq!(ask(library, name, 13_000, *flags), (0, library.address(symbol), FOUND), "{name} now");
        }
    }
}

fn why_not(library: &Library) {
    let untouched = (1, UNTOUCHED as usize, UNTOUCHED);
    for name in ["cuNothing", "", "cuMemAlloc_v2", "cuStreamSynchronize_ptsz"] {
        assert_eq!(ask(library, name, 12_000, 0), (0, 0, NOT_FOUND), "{name:?}");
    }
    assert_eq!(ask(library, "cuMemAlloc", 20_000, 0), untouched, "newer than the driver");
    assert_eq!(ask(library, "cuMemAlloc", 12_000, 4), untouched, "an unknown flag");
    assert_eq!(ask(library, "cuMemAlloc", 0, 0), (0, 0, TOO_OLD));
}

fn the_first(library: &Library) {
    let name = c"cuMemAlloc".as_ptr().expose_provenance();
    let mut function = 0_usize;
    assert_eq!(library.call("cuGetProcAddress", &[name, place(&mut function), 12_000, 0]), 0);
    assert_eq!(function, library.address("cuMemAlloc_v2"));
    let unknown = c"cuNothing".as_ptr().expose_provenance();
    assert_eq!(library.call("cuGetProcAddress", &[unknown, place(&mut function), 12_000, 0]), 500);
    // What it finds is called as it was found, by a program that knows its type.
    let mut version = 0_i32;
    assert_eq!(library.call("cuDriverGetVersion", &[place(&mut version)]), 0);
    assert!(version >= 13_000, "{version}");
}
