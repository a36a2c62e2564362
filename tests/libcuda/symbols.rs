//! What the library's file says of itself.

use std::collections::BTreeSet;
use std::process::Command;

use crate::children::said;
use crate::library::file;

pub(crate) const TESTS: &[(&str, fn())] = &[
    ("symbols::cover_the_seam_and_the_driver", cover),
    ("symbols::need_no_libcuda", need_no_libcuda),
    ("symbols::that_are_not_supported_are_in_the_document", documented),
];

/// The tables of entry points, as text: the names in quotes are symbols.
const SEAM: &str = include_str!("../../memcore/src/driver/entry_points.rs");
const MORE: &str = include_str!("../../memcore/src/driver/sim/libcuda/entry_points.rs");
/// What `cuGetProcAddress` may give.
const VERSIONS: &str = include_str!("../../memcore/src/driver/sim/libcuda/versions.txt");

/// The symbols that a table names.
pub(crate) fn symbols_of(table: &str) -> BTreeSet<&str> {
    table.split('"').filter(|text| text.starts_with("cu") && !text.contains(' ')).collect()
}

/// The symbols of every version of every name, with the name, the version that they begin at, and the default stream.
pub(crate) fn versions() -> Vec<(&'static str, i32, usize, String)> {
    let mut all = Vec::new();
    for line in VERSIONS.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_once(' ').unwrap();
        let (legacy, per_thread) = rest.split_once(" / ").unwrap_or((rest, rest));
        for (flags, part) in [(0, legacy), (1, legacy), (2, per_thread)] {
            for pair in part.split(' ') {
                let (since, suffix) = pair.split_once(':').unwrap();
                all.push((name, since.parse().unwrap(), flags, format!("{name}{}", suffix.trim_matches('-'))));
            }
        }
    }
    all
}

/// The dynamic symbols that the library defines.
pub(crate) fn exported() -> BTreeSet<String> {
    let output = Command::new("nm").args(["-D", "--defined-only"]).arg(file()).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
}

fn cover() {
    let exported = exported();
    let seam = symbols_of(SEAM);
    assert!(seam.len() > 120 && symbols_of(MORE).len() > 60, "the tables are read");
    for symbol in seam.iter().copied().chain(symbols_of(MORE)) {
        assert!(exported.contains(symbol), "{symbol} is not exported");
    }
    for (name, since, _, symbol) in versions() {
        assert!(exported.contains(&symbol), "{symbol}, which {name} of {since} is, is not exported");
    }
    let others: Vec<_> = exported.iter().filter(|symbol| !symbol.starts_with("cu")).collect();
    assert!(others.is_empty(), "{others:?}");
}

/// The symbols of what there is none of.
pub(crate) fn unsupported() -> BTreeSet<&'static str> {
    let table = include_str!("../../memcore/src/driver/sim/libcuda/unsupported.rs");
    let (_, list) = table.rsplit_once("unsupported! {").unwrap();
    symbols_of(list)
}

fn documented() {
    let page = include_str!("../../docs/stand-in.md");
    let (_, list) = page.split_once("<summary>Every function that is not supported</summary>").unwrap();
    let (list, _) = list.split_once("</details>").unwrap();
    let named: BTreeSet<_> = list.split_whitespace().map(|name| name.trim_matches('`')).collect();
    assert_eq!(named, unsupported());
}

fn need_no_libcuda() {
    let output = Command::new("readelf").args(["-d", "-W"]).arg(file()).output().unwrap();
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    let lines = |what: &str| text.lines().filter(|line| line.contains(what)).collect::<Vec<_>>().join("\n");
    assert!(lines("SONAME").contains("[libcuda.so.1]"), "{text}");
    assert!(lines("FLAGS_1").contains("NODELETE"), "{text}");
    assert!(lines("NEEDED").contains("libc.so"), "{text}");
    assert!(!lines("NEEDED").contains("cuda"), "{text}");
}
